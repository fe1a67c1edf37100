/**
 * Language level: what any TypeScript program could use, with no idea of Kubernetes objects or machines.
 *
 *     env.ts       clock, randomness, log and cancellation, as ports; the real ones are the only code that asks the machine
 *     errors.ts    `Problem` (wrong input, a value), `Failure` (wrong world, thrown), `assert` (wrong code, crashes)
 *     json.ts      JSON as data: own keys, canonical text, equality
 *     json-fields.ts  `stringAt`, `objectAt` …: fields of objects whose shape is not known
 *     waiting.ts   waiting with a deadline and a signal, over a `Clock`
 *     text/        times, quantities, durations, patterns and quoting, as Go programs read and print them
 *     yaml/        YAML as kubectl reads it, with positions
 *
 * Nothing here imports anything else of the project.
 */
