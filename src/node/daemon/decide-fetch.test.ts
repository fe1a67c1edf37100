/** When an OS image is downloaded, for the update in progress and ahead of one, and when it is removed. */
import { describe, expect, it } from 'vitest';
import { decideFetchAhead, decideFetchStep, isFetchObsolete } from './decide-fetch.ts';
import type { FetchState } from './fetcher.ts';

const running = (image: string): FetchState => ({ image });
const fetched = (image: string): FetchState => ({ image, outcome: { kind: 'fetched' } });
const failed = (image: string): FetchState => ({ image, outcome: { kind: 'failed', error: 'no' } });

describe('the fetch of an update', () => {
  const step = { index: 0, image: 'new', fetch: undefined, waitMs: 0, answered: '' };
  // biome-ignore format: a table.
  it.each<[string, Partial<Parameters<typeof decideFetchStep>[0]>, object]>([
    ['begins', {}, { kind: 'begin-fetch', image: 'new', isFetched: false }],
    ['begins where another image is being fetched', { fetch: running('other') }, { kind: 'begin-fetch', image: 'new' }],
    ['begins where another image was fetched', { fetch: fetched('other') }, { kind: 'begin-fetch' }],
    ['knows that it was fetched ahead', { answered: 'new' }, { kind: 'begin-fetch', isFetched: true }],
    ['is not taken for one that was fetched ahead', { answered: 'other' }, { kind: 'begin-fetch', isFetched: false }],
    ['waits while it is in progress', { fetch: running('new') }, { kind: 'wait', for: 'fetch' }],
    ['waits for its end also where a retry was due later', { fetch: running('new'), waitMs: 10 }, { kind: 'wait', for: 'fetch' }],
    ['waits before it is retried', { waitMs: 10 }, { kind: 'wait', for: 'pull', delayMs: 10 }],
    ['is complete', { fetch: fetched('new') }, { kind: 'complete-fetch', index: 0 }],
    ['is recorded as a failure', { fetch: failed('new') }, { kind: 'record-failed-fetch', error: 'no' }],
  ])('%s', (_, given, expected) => {
    expect(decideFetchStep({ ...step, ...given })).toMatchObject(expected);
  });
});

describe('a fetch ahead', () => {
  const idle = { requested: '', answered: '', noted: undefined, fetch: undefined, waitMs: 0 };
  // biome-ignore format: a table.
  it.each<[string, Partial<Parameters<typeof decideFetchAhead>[0]>, object]>([
    ['is not there where nobody asks', {}, { kind: 'none' }],
    ['begins where it is asked for', { requested: 'new' }, { kind: 'begin', image: 'new' }],
    ['begins anew after a daemon that was killed', { requested: 'new', noted: 'new' }, { kind: 'begin', image: 'new' }],
    ['is awaited', { requested: 'new', noted: 'new', fetch: running('new') }, { kind: 'wait' }],
    ['is answered', { requested: 'new', noted: 'new', fetch: fetched('new') }, { kind: 'answer', image: 'new' }],
    ['is answered once', { requested: 'new', noted: 'new', answered: 'new' }, { kind: 'none' }],
    ['is answered once, also while the outcome is known', { requested: 'new', noted: 'new', answered: 'new', fetch: fetched('new') }, { kind: 'none' }],
    ['is postponed where it fails', { requested: 'new', noted: 'new', fetch: failed('new') }, { kind: 'postpone', error: 'no' }],
    ['waits before it is retried', { requested: 'new', noted: 'new', waitMs: 10 }, { kind: 'wait', delayMs: 10 }],
    ['removes what nobody asks for', { noted: 'new' }, { kind: 'drop' }],
    ['removes what nobody asks for before it withdraws the answer', { noted: 'new', answered: 'new' }, { kind: 'drop' }],
    ['withdraws its answer', { answered: 'new' }, { kind: 'answer', image: '' }],
    ['removes another image first', { requested: 'new', noted: 'old', answered: 'old' }, { kind: 'drop' }],
    ['withdraws the answer for another image', { requested: 'new', answered: 'old' }, { kind: 'answer', image: '' }],
    ['removes what has no readable name', { requested: '', noted: '' }, { kind: 'drop' }],
    ['removes what has no readable name although one is asked for', { requested: 'new', noted: '' }, { kind: 'drop' }],
  ])('%s', (_, given, expected) => {
    expect(decideFetchAhead({ ...idle, ...given })).toMatchObject(expected);
  });
});

describe('a download', () => {
  it.each<[string, FetchState | undefined, string, boolean, boolean]>([
    ['of nothing', undefined, '', false, false],
    ['of the wanted image goes on', running('new'), 'new', false, false],
    ['of another image ends', running('old'), 'new', false, true],
    ['that nobody wants ends', running('new'), '', false, true],
    ['goes on while an update starts that may need it', running('new'), '', true, false],
  ])('%s', (_, fetch, wanted, isStarting, expected) => {
    expect(isFetchObsolete(fetch, { wanted, isStarting })).toBe(expected);
  });
});
