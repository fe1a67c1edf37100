import { describe, expect, it } from 'vitest';
import { withoutCredentials } from './credentials.ts';

const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';

/** As `base64` prints it. */
const inLines = (text: string) => text.replaceAll(/(.{76})/g, '$1\n  ').trimEnd();

describe('a text without credentials', () => {
  it.each([
    ['Get "https://ann:hunter2@r.example/v2/": EOF', 'Get "https://[redacted]@r.example/v2/": EOF'],
    [`Authorization: Bearer ${TOKEN}`, 'Authorization: [redacted]'],
    [`token ${TOKEN} has expired`, 'token [redacted] has expired'],
    [
      'ExecStart=/usr/bin/agent --token abc123 --port 1',
      'ExecStart=/usr/bin/agent --token [redacted] --port 1',
    ],
    ['Environment=DB_PASSWORD=hunter2 A=b', 'Environment=DB_PASSWORD=[redacted] A=b'],
    ['rd.luks.passphrase=hunter2 quiet', 'rd.luks.passphrase=[redacted] quiet'],
    ['{"auths":{"r.example":{"auth":"YW5uOmh1bnRlcjI="}}}', '{"auths":{"r.example":{"auth":"[redacted]"}}}'],
    ['client-secret: 8fA2-long-9Zq', 'client-secret: [redacted]'],
    ['root:$6$salt$abcdefghijklmnop:19000:', 'root:[redacted]:19000:'],
    ['a -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- b', 'a [redacted] b'],
    ['-----BEGIN PRIVATE KEY-----\nMIIEcut', '[redacted]'],
    ['curl -u ann:hunter2 https://r.example', 'curl -u ann:[redacted] https://r.example'],
    ['skopeo copy --dest-creds=ann:hunter2 a b', 'skopeo copy --dest-creds=ann:[redacted] a b'],
    ["echo 'core:hunter2' | chpasswd", "echo 'core:[redacted]' | chpasswd"],
    ['echo hunter2 | passwd --stdin core', 'echo [redacted] | passwd --stdin core'],
    ['ENV DB_PASSWORD hunter2', 'ENV DB_PASSWORD [redacted]'],
    ['["agent","--token","hunter2"]', '["agent","--token","[redacted]"]'],
    [
      'https://s3.example/os?X-Amz-Signature=0a1b&a=b',
      'https://s3.example/os?X-Amz-Signature=[redacted]&a=b',
    ],
    ['remote: ghp_0123456789012345678901234567', 'remote: [redacted]'],
    [`echo ${btoa('{"auths":{"r.example":{"auth":"YW5u"}}}')} | base64 -d`, 'echo [redacted] | base64 -d'],
    [
      `key:\n  ${inLines(btoa(`-----BEGIN RSA PRIVATE KEY-----\n${'MIIE'.repeat(30)}`))}\nend`,
      'key:\n  [redacted]\nend',
    ],
    ['H4sIAAAAAAAAA8tIzcnJVyjPL8pJAQCFEUoNCwAAAA==', '[redacted]'],
  ])('has none of %s', (given, expected) => {
    expect(withoutCredentials(given)).toBe(expected);
  });

  it.each([
    'could not validate renderedImagePushSecret "push" for MachineOSConfig infra: secret push from infra is not found.',
    'failed to fetch oauth token: unauthorized: authentication required',
    'invalid secret key type Opaque, expected kubernetes.io/dockerconfigjson',
    'Failed to update OS to r.example/os@sha256:0123 after retries: manifest unknown',
    'pods "web-0" is forbidden: User "system:serviceaccount:a:b" cannot evict',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    'InvalidSecret: could not validate it',
    'rendered-worker-ceedbbb3b533372a501c2410fa554c89 sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'useradd -u 1000 core; /usr/lib/systemd/systemd-logind-helper/with/a/long/path',
    'cGxhaW4gdGV4dCBpbiBiYXNlNjQgaXMga2VwdA==',
  ])('is the same where there are none: %s', (text) => {
    expect(withoutCredentials(text)).toBe(text);
  });
});
