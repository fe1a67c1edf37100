/**
 * Makes an image of Millwright as an OCI archive, from the files of this checkout and of this machine.
 *
 *     npm run image -- --output millwright.tar --tag registry.example/millwright:1
 *     npm run image -- --builder --output millwright-builder.tar
 *     npm run image -- --files files.tar      only Millwright's own files, for images/millwright/Containerfile
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Failure } from '../../src/base/errors.ts';
import { parseImageReference, writeTar } from '../../src/images/index.ts';
import { BUILDER_RUNTIME, builderFiles } from './builder-image.ts';
import { assembleImage, layerItems } from './layers.ts';
import { imageLabels, MILLWRIGHT_RUNTIME, rootFiles } from './millwright-image.ts';
import { ociArchive } from './oci-archive.ts';
import { programFiles, readVersion } from './program.ts';
import { machineRuntime } from './runtime.ts';

const MIB = 1024 ** 2;
/** The default of the manifests. */
const REGISTRY = 'registry.millwright.dev';

const HELP = `Usage: npm run image -- [OPTIONS]

Makes Millwright's container image from this machine's own programs, as an OCI archive.

  --output FILE    the archive to write
  --tag NAME       the name of the image in it, with registry and tag
  --builder        make the builder's image instead, with this machine's buildah
  --files FOLDER   write the files of the image into a folder, for images/millwright/Containerfile
  --revision HASH  the commit to name in the labels of the image
  --help           print this help`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    output: { type: 'string' },
    tag: { type: 'string' },
    builder: { type: 'boolean', default: false },
    files: { type: 'string' },
    revision: { type: 'string' },
  },
});
try {
  if (values.help) console.log(HELP);
  else await run();
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.error(`image: ${error.message}`);
  process.exitCode = 2;
}

async function run(): Promise<void> {
  const root = process.cwd();
  const time = sourceDate(process.env.SOURCE_DATE_EPOCH);
  const program = await programFiles(root);
  if (values.files !== undefined) {
    writeFileSync(values.files, writeTar(layerItems(program, time)));
    console.log(values.files);
    return;
  }
  const { version, description } = readVersion(root);
  const title = values.builder ? 'millwright-builder' : 'millwright';
  const name = values.tag ?? `${REGISTRY}/${title}:${version}`;
  parseImageReference(name);
  const { architecture, files } = await machineRuntime();
  const own = values.builder ? builderFiles() : new Map();
  const { revision } = values;
  const labels = { title, description, version, nodeVersion: process.version, revision };
  const image = assembleImage({
    layers: [new Map([...rootFiles(), ...files, ...own]), program],
    architecture,
    labels: imageLabels(labels),
    runtime: values.builder ? BUILDER_RUNTIME : MILLWRIGHT_RUNTIME,
    time,
  });
  const output = values.output ?? `${title}.tar`;
  const archive = ociArchive(image, name);
  writeFileSync(output, archive);
  const size = (archive.length / MIB).toFixed(1);
  console.log(`${output}: ${name}, linux/${architecture}, ${size} MiB, ${image.top.descriptor.digest}`);
}

/** The convention of reproducible builds. */
function sourceDate(text: string | undefined): number {
  if (text === undefined || text === '') return 0;
  if (!/^\d{1,10}$/.test(text)) {
    throw new Failure('usage', 'BadDate', `SOURCE_DATE_EPOCH must be seconds since 1970, not ${text}`);
  }
  return Number(text);
}
