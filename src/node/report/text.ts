/**
 * Texts as the API server stores them: cut to the limit of the field by code points, with lone surrogates replaced. Otherwise
 * what is read back would always differ from what was written. They are one line.
 */
import { oneLine } from '../../base/text/index.ts';

/** The limit of an error in an annotation. The MachineConfigNode has the whole text. */
export const MAX_REASON = 2000;
/** The CRD's limit for the message of a condition. */
export const MAX_MESSAGE = 32_768;

export function fitted(text: string, maxCodePoints: number): string {
  const whole = oneLine(text).replace(/\p{Surrogate}/gu, '\ufffd');
  if (whole.length <= maxCodePoints) return whole;
  let end = 0;
  for (let count = 0; count < maxCodePoints && end < whole.length; count++) {
    end += (whole.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return whole.slice(0, end);
}
