import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { containerfileProblems } from './containerfile-syntax.ts';

const problemsOf = (text: string) =>
  containerfileProblems(text, { needsFrom: false }).map(({ message }) => message);

describe('containerfileProblems', () => {
  test.each([
    ['FROM configs AS final\nRUN dnf install -y tree && ostree container commit'],
    ['# comment\n\nfrom configs as final\nrun true\n'],
    ['FROM --platform=linux/amd64 quay.io/a/b:c'],
    ['RUN echo a && \\\n    # between\n\n    echo b'],
    ['# escape=`\nRUN echo a `\n  b'],
    ['RUN <<EOF\nnot an instruction\nEOF\nRUN true'],
    ['COPY <<-"ONE" <<TWO /etc/\n\tbody\n\tONE\nbody\nTWO\nUSER 0'],
    ['ENV A=b C="d e"\nENV old form value\nLABEL a=b'],
    ['COPY ["a b", "/c"]\nADD --chown=0:0 x /y'],
    ['HEALTHCHECK NONE\nMAINTAINER me'],
    ['RUN <<EOF\nnever ends'],
    ['CMD ["sh"]\r\nENTRYPOINT ["sh"]\r\n'],
  ])('accepts %j', (text) => {
    expect(problemsOf(text)).toEqual([]);
  });

  test.each([
    ['FRON configs', 'line 1: unknown Dockerfile instruction: fron'],
    ['FROM configs AS final\n\nRUM true', 'line 3: unknown Dockerfile instruction: rum'],
    ['RUN', 'line 1: RUN instruction requires a command'],
    ['RUN \\', 'line 1: RUN instruction requires a command'],
    ['ENV A', 'line 1: ENV instruction must use key=value form'],
    ['LABEL x', 'line 1: LABEL instruction must use key=value form'],
    ['FROM a b c', 'line 1: FROM instruction must be an image, optionally followed by AS and a name'],
    ['COPY a', 'line 1: COPY instruction requires a source and a destination'],
    ['RUN <<EOF\nx\nEOF\nFOO', 'line 4: unknown Dockerfile instruction: foo'],
    ['RUN a \\\n b\nWORKDIR', 'line 3: WORKDIR instruction requires a path'],
  ])('refuses %j with its line', (text, expected) => {
    expect(problemsOf(text)).toEqual([expected]);
  });

  test('counts lines from where the text begins in the whole file', () => {
    expect(containerfileProblems('RUM x', { needsFrom: false, firstLine: 40 })[0]?.message).toContain(
      'line 40',
    );
  });

  test('requires a FROM instruction in a whole file', () => {
    expect(containerfileProblems('RUN true', { needsFrom: true })[0]?.message).toBe(
      'Containerfile has no FROM instruction',
    );
  });

  test('never throws and ends on any text', () => {
    const piece = fc.constantFrom(
      'RUN',
      '<<EOF',
      'EOF',
      '\\',
      '\n',
      ' ',
      '#',
      'FROM a',
      '`',
      '"',
      "'",
      '\t',
      '-',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }), (parts) => {
        containerfileProblems(parts.join(''), { needsFrom: true });
      }),
    );
  });
});

describe('images that a Containerfile names', () => {
  test.each([
    'FROM configs AS final',
    'FROM quay.io/example/tools:1 AS tools\nFROM configs\nCOPY --from=tools /a /a',
    'FROM registry.example:5000/dir/oci@sha256:0 AS x\nCOPY --from=0 /a /a',
    'FROM configs\nRUN --mount=type=bind,from=tools,target=/t cp /t/a /a',
    'FROM configs\nRUN program --from=dir:/x',
    'FROM configs\nRUN cat <<EOT > /etc/a\nplain text\nEOT',
  ])('may be stages and images of registries: %j', (text) => {
    expect(problemsOf(text)).toEqual([]);
  });

  test.each([
    ['FROM tarball:/etc/backup.tar.gz AS host', 'line 1: tarball:/etc/backup.tar.gz: '],
    ['FROM configs\nFROM --platform=linux/amd64 oci:/srv/image', 'line 2: oci:/srv/image: '],
    ['FROM configs\nCOPY --from=dir:/srv /a /a', 'line 2: dir:/srv: '],
    ['FROM configs\nCOPY --from="docker-archive:a.tar" /a /a', 'line 2: docker-archive:a.tar: '],
    ['FROM configs\nCOPY --from=tarb\\\nall:/a.tar /a /a', 'line 2: tarball:/a.tar: '],
    [
      'FROM configs\nRUN --mount=type=bind,from=containers-storage:x,target=/t true',
      'line 2: containers-storage:x: ',
    ],
    ['FROM configs\nRUN <<EOT\nFROM dir:/srv\nEOT', 'line 3: dir:/srv: '],
    ['ARG BASE=configs\nFROM $BASE', 'line 2: $BASE: variables are not supported'],
  ])('may not be files of the machine, nor variables: %j', (text, expected) => {
    expect(problemsOf(text)).toEqual([expect.stringContaining(expected)]);
  });
});
