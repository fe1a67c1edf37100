/** A pause that takes no time and is counted. */
export function countingPause() {
  const counter = { pauses: 0 };
  return {
    counter,
    pause: async () => {
      counter.pauses += 1;
    },
  };
}
