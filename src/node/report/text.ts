/**
 * Texts as the server keeps them: what is longer than a field may be is cut, by code points, and half a character is
 * replaced as the server would replace it. Otherwise what we read back would differ from what we say, for ever.
 */

/** What an annotation tells of an error. The whole of it is in the MachineConfigNode. */
export const MAX_REASON = 2000;
/** What the CRD allows the message of a condition. */
export const MAX_MESSAGE = 32_768;

export function fitted(text: string, maxCodePoints: number): string {
  const whole = text.replace(/\p{Surrogate}/gu, '\ufffd');
  if (whole.length <= maxCodePoints) return whole;
  let end = 0;
  for (let count = 0; count < maxCodePoints && end < whole.length; count++) {
    end += (whole.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return whole.slice(0, end);
}
