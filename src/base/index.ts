/**
 * Language level: what any TypeScript program could use, without knowledge of Kubernetes objects or machines.
 *
 *     env.ts          clock, randomness, log and cancellation as ports, with their real implementations
 *     errors.ts       `Problem` (invalid input, a value), `Failure` (failed I/O, thrown), `assert` (a bug, crashes)
 *     bytes.ts        comparing bytes, and working on many of them in pieces
 *     json.ts         JSON as data: own keys, canonical text, equality
 *     json-size.ts    limits on the depth and the number of values, for what is traversed recursively
 *     json-fields.ts  `stringAt`, `objectAt` …: fields of objects of unknown shape
 *     waiting.ts      waiting with a deadline and a signal, on a `Clock`
 *     at-once.ts      several asynchronous calls at a time
 *     pauses.ts       notices that the process did not run for a while
 *     text/           times, quantities, durations, patterns and quoting, as Go programs read and print them
 *     yaml/           YAML as kubectl reads it, with positions
 *
 * Nothing here imports anything else of the project.
 */
