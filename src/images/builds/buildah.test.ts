import { describe, expect, test } from 'vitest';
import { budCommand, failureLine, osImageProblem, pushCommand, traceLine } from './buildah.ts';

const place = {
  storage: '/b/storage',
  runRoot: '/b/run',
  context: '/b/context',
  containerfile: '/b/context/Containerfile',
  authFile: '/b/base.json',
};

test('the build command has the base credentials and the mounts', () => {
  const command = budCommand({
    ...place,
    policy: '/b/policy.json',
    tag: 'quay.io/a/os:infra-1',
    proxy: { HTTP_PROXY: 'http://p' },
    mounts: [{ from: '/b/repos', to: '/etc/yum.repos.d' }],
  });
  expect(command.join(' ')).toBe(
    'buildah --root /b/storage --runroot /b/run --storage-driver vfs bud --isolation chroot --authfile /b/base.json --signature-policy /b/policy.json --tag quay.io/a/os:infra-1 --file /b/context/Containerfile --build-arg HTTP_PROXY=http://p --volume /b/repos:/etc/yum.repos.d:rw /b/context',
  );
  expect(traceLine(command)).toMatch(/^\+ buildah bud --isolation chroot /);
});

test('the push command writes the digest', () => {
  const command = pushCommand({
    ...place,
    tag: '127.0.0.1:5000/os:infra-1',
    destination: '127.0.0.1:5000/os:infra-1',
    digestFile: '/b/digest',
  });
  expect(command.join(' ')).toBe(
    'buildah --root /b/storage --runroot /b/run --storage-driver vfs push --authfile /b/base.json --digestfile /b/digest 127.0.0.1:5000/os:infra-1 docker://127.0.0.1:5000/os:infra-1',
  );
});

describe('an image that was built', () => {
  const inspected = (labels: object) => JSON.stringify({ OCIv1: { config: { Labels: labels } } });

  test.each([{ machineconfigpool: 'infra' }, { 'containers.bootc': '1' }, { 'ostree.bootable': 'true' }])(
    'may be an OS: %j',
    (labels) => {
      expect(osImageProblem(inspected(labels))).toBeUndefined();
    },
  );

  test.each([inspected({}), inspected({ version: '1' }), '{}'])('is no OS without its labels: %s', (text) => {
    expect(osImageProblem(text)).toContain('is no OS image');
  });
});

describe('failureLine', () => {
  test('names the step, the error and what the command printed', () => {
    const lines = [
      '[2/3] STEP 5/6: LABEL a=b',
      '[3/3] STEP 2/2: RUN install nosuch',
      'install: package nosuch not found',
      'subprocess exited with status 1',
      'Error: building at STEP "RUN install nosuch": exit status 1',
    ];
    expect(failureLine('building', lines)).toBe(
      'STEP 2/2: RUN install nosuch: exit status 1: install: package nosuch not found',
    );
  });

  test('names the registry error of a base image that cannot be pulled', () => {
    const lines = [
      'STEP 1/3: FROM quay.io/a/os@sha256:ab AS extract',
      'Trying to pull quay.io/a/os@sha256:ab...',
      'Error: creating build container: initializing source docker://quay.io/a/os@sha256:ab: reading manifest sha256:ab in quay.io/a/os: unauthorized: authentication required',
    ];
    expect(failureLine('building', lines)).toBe(
      'STEP 1/3: FROM quay.io/a/os@sha256:ab AS extract: creating build container: initializing source docker://quay.io/a/os@sha256:ab: reading manifest sha256:ab in quay.io/a/os: unauthorized: authentication required',
    );
  });

  test('says that the push failed', () => {
    expect(
      failureLine('pushing', [
        'Getting image source signatures',
        'Error: pushing image: denied: requested access to the resource is denied',
      ]),
    ).toBe('pushing the image: pushing image: denied: requested access to the resource is denied');
  });

  test('says that a user has no ranges of IDs, and how to add them', () => {
    const lines = [
      'time="2026-01-01T00:00:00Z" level=warning msg="Found no UID ranges set aside for user \\"ann\\" in /etc/subuid."',
      '[1/3] STEP 2/2: RUN mkdir /x',
      'error setting supplemental groups list: operation not permittedsubprocess exited with status 1',
      'Error: building at STEP "RUN mkdir /x": exit status 1',
    ];
    expect(failureLine('building', lines)).toMatch(
      /^STEP 2\/2: RUN mkdir \/x: buildah needs ranges of user and group IDs for this user: install newuidmap .* \/etc\/subuid and \/etc\/subgid /,
    );
  });

  test.each([
    'process failed to start with error: fork/exec /bin/sh: no such file or directoryprocess exited with error: exec: not started',
    'error running container: from /usr/bin/runc creating container for [/bin/sh -c true]: exec: "/bin/sh": stat /bin/sh: no such file or directory',
  ])('says that the base image has no shell, and which package brings one: %s', (line) => {
    const lines = [
      '[1/3] STEP 3/3: RUN mkdir /x',
      line,
      'Error: building at STEP "RUN mkdir /x": exit status 1',
    ];
    expect(failureLine('building', lines)).toBe(
      'STEP 3/3: RUN mkdir /x: the base image has no shell (/bin/sh), which RUN needs; the OS image of `millwright up` gets one from a static busybox: install it (Debian package busybox-static) and start `millwright up` again',
    );
  });

  test('says that user namespaces are missing, and how to allow them', () => {
    const lines = [
      'Error during unshare(CLONE_NEWUSER): Operation not permitted',
      'time="2026-01-01T00:00:00Z" level=error msg="parsing PID \\"\\": strconv.Atoi: parsing \\"\\": invalid syntax"',
      'time="2026-01-01T00:00:00Z" level=error msg="(Unable to determine exit status)"',
    ];
    expect(failureLine('building', lines)).toMatch(
      /^building the image: Error during unshare\(CLONE_NEWUSER\): Operation not permitted: buildah needs user namespaces, which this user may not create here: allow them /,
    );
  });

  const FAILED = 'Error: building at STEP "RUN x": exit status 1';

  test('shortens a long command rather than the error and what the command printed', () => {
    const command = `RUN ${'echo "a": b && '.repeat(250)}false`;
    const lines = [
      `[3/3] STEP 2/2: ${command}`,
      'no such package',
      `Error: building at STEP "${command}": exit status 1`,
    ];
    const text = failureLine('building', lines);
    expect(text).toMatch(/^STEP 2\/2: RUN echo "a": b && .*…: exit status 1: no such package$/);
    expect(text.length).toBeLessThan(170);
  });

  test.each<[string, readonly string[], string]>([
    [
      'is not the step before',
      ['[4/4] STEP 2/3: COPY --from=host /a /b', '[4/4] STEP 3/3: RUN x', FAILED],
      '',
    ],
    ['is not that of the step before', ['STEP 2/3: RUN y', 'of y', 'STEP 3/3: RUN x', FAILED], ''],
    [
      'is the last one that is text',
      ['STEP 3/3: RUN x', 'text', '\ufffd\u0001P\ufffd\u0003NG', FAILED],
      ': text',
    ],
    ['may be coloured', ['STEP 3/3: RUN x', '\u001b[31mno\u001b[0m', FAILED], ': \u001b[31mno\u001b[0m'],
    [
      'may begin like an error of buildah',
      ['STEP 3/3: RUN x', 'Error: no match: y', FAILED],
      ': Error: no match: y',
    ],
    ['may arrive after the error', ['STEP 3/3: RUN x', FAILED, 'Error: no match: y'], ': Error: no match: y'],
    [
      'may end without a line break',
      ['STEP 3/3: RUN x', 'nosubprocess exited with status 1', FAILED],
      ': no',
    ],
    [
      'is none of the lines about the stage before, which arrive late',
      [
        'STEP 3/3: RUN x',
        'Getting image source signatures',
        'Copying blob sha256:ab',
        'Writing manifest to image destination',
        'Storing signatures',
        FAILED,
      ],
      '',
    ],
    ['may be a long line', ['STEP 3/3: RUN x', 'y'.repeat(900), FAILED], `: ${'y'.repeat(200)}…`],
  ])('knows that the output of the step %s', (_, lines, expected) => {
    expect(failureLine('building', lines)).toBe(`STEP 3/3: RUN x: exit status 1${expected}`);
  });

  test('takes the step from the error where its line was displaced by much output', () => {
    expect(failureLine('building', ['line 499', 'line 500', FAILED])).toBe('RUN x: exit status 1: line 500');
  });

  const UNKNOWN =
    'Error: building at STEP "ECHO ": Build error: Unknown instruction: "ECHO" &imagebuilder.Step{Env:[]string{"PATH=/bin"}, Command:"echo", Args:[]string{""}, Message:"ECHO ", Original:"ECHO hi"}';

  test('says that an old buildah may not know heredocs where it takes a line of one for an instruction', () => {
    const lines = ['STEP 3/5: RUN <<EOT', 'STEP 4/5: ECHO hi', UNKNOWN];
    expect(failureLine('building', lines)).toBe(
      'STEP 4/5: ECHO hi: Unknown instruction: "ECHO": the Containerfile has a heredoc (<<), which this buildah may not know: update it to 1.33 or newer, or do without heredocs',
    );
  });

  test('says so where it takes a heredoc for a file to be copied', () => {
    const lines = [
      'STEP 2/4: COPY <<EOF /a',
      'Error: building at STEP "COPY <<EOF /a": checking on sources under "/context": copier: stat: "/<<EOF": no such file or directory',
    ];
    expect(failureLine('building', lines)).toBe(
      'STEP 2/4: COPY <<EOF /a: checking on sources under "/context": copier: stat: "/<<EOF": no such file or directory: the Containerfile has a heredoc (<<), which this buildah may not know: update it to 1.33 or newer, or do without heredocs',
    );
  });

  test('names the file that cannot be copied', () => {
    const lines = [
      '[2/2] STEP 2/4: COPY a* "b": /d',
      'Error: building at STEP "COPY a* "b": /d": copier: stat: "/b": no such file or directory',
    ];
    expect(failureLine('building', lines)).toBe(
      'STEP 2/4: COPY a* "b": /d: copier: stat: "/b": no such file or directory',
    );
  });

  test('names an unknown instruction without the structures of buildah', () => {
    const lines = ['STEP 3/5: RUN echo $((1 << 2))', 'STEP 4/5: ECHO hi', UNKNOWN];
    expect(failureLine('building', lines)).toBe('STEP 4/5: ECHO hi: Unknown instruction: "ECHO"');
  });

  test('has a text where nothing was printed', () => {
    expect(failureLine('building', [])).toBe('building the image: it failed without a message');
  });
});
