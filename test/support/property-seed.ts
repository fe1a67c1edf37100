import fc from 'fast-check';

/**
 * Property tests try the same inputs in every run, so that what fails once fails again and a change is judged by what it changes.
 * `MILLWRIGHT_PROPERTY_SEED=random` looks for new inputs (`npm run test:properties`); a failure prints its seed, which may stand there instead.
 */
const wanted = process.env.MILLWRIGHT_PROPERTY_SEED ?? '1';
if (wanted !== 'random') {
  const seed = Number(wanted);
  if (!Number.isInteger(seed))
    throw new Error(`MILLWRIGHT_PROPERTY_SEED is "random" or a whole number, not "${wanted}"`);
  fc.configureGlobal({ seed });
}
