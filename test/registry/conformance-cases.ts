/** What a registry must do, asked over HTTP: the same cases for ours and for Debian's. */
import type { Case } from './conformance.ts';
import { blobCases } from './conformance-blobs.ts';
import { manifestCases } from './conformance-manifests.ts';

export const cases: readonly Case[] = [...blobCases, ...manifestCases];
