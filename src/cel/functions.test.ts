/**
 * The functions that rules can call. Every row was put to the library that kube-apiserver 1.33 uses
 * (k8s.io/apiextensions-apiserver v0.33), over the same object, and this is what it said.
 */
import { describe, expect, it } from 'vitest';
import type { StructuralSchema } from '../schema/index.ts';
import { validate } from '../validation/validate.ts';

const list = (type: 'string' | 'integer' | 'number'): StructuralSchema => ({
  type: 'array',
  items: { type },
});

const SCHEMA: StructuralSchema = {
  type: 'object',
  properties: {
    s: { type: 'string' },
    s2: { type: 'string' },
    i: { type: 'integer' },
    n: { type: 'number' },
    t: { type: 'string', format: 'date-time' },
    d: { type: 'string', format: 'duration' },
    day: { type: 'string', format: 'date' },
    by: { type: 'string', format: 'byte' },
    ios: { 'x-kubernetes-int-or-string': true },
    l: list('string'),
    li: list('integer'),
    ln: list('number'),
    m: { type: 'object', additionalProperties: { type: 'string' } },
  },
};

const VALUE = {
  s: 'hello wörld😀',
  s2: 'Hello',
  i: 5,
  n: 1.5,
  t: '2024-02-29T12:34:56.789Z',
  d: '1h30m',
  day: '2023-01-05',
  by: 'aGVsbG8=',
  ios: '50%',
  l: ['a', 'b', 'c'],
  li: [3, 1, 2],
  ln: [1, 2.5],
  m: { k: 'v', 'a-b': 'c' },
};

const HOLDS: readonly string[] = [
  "self.s.startsWith('hello')",
  "self.s.endsWith('😀')",
  "self.s.contains('wör')",
  "self.s.matches('^h.*d')",
  "self.s.matches('(?i)^HELLO')",
  "self.s.find('l+') == 'll'",
  "self.s.findAll('l') == ['l','l','l']",
  "self.s.findAll('l', 1) == ['l']",
  "self.s.findAll('l', 0) == []",
  "self.s.find('zzz') == ''",
  "self.s.indexOf('w') == 6",
  "self.s.indexOf('') == 0",
  "self.s.indexOf('l', 3) == 3",
  "self.s.indexOf('l', 40) == -1",
  "self.s.lastIndexOf('l') == 9",
  "self.s.lastIndexOf('l', 4) == 3",
  "self.s.substring(6) == 'wörld😀'",
  "self.s.substring(6, 9) == 'wör'",
  "self.s.charAt(0) == 'h'",
  "self.s.split(' ') == ['hello', 'wörld😀']",
  "self.s.split('l', 2) == ['he', 'lo wörld😀']",
  "self.s.split('l', 0) == []",
  "self.s.split('l', -1).size() == 4",
  "self.l.join() == 'abc'",
  "self.l.join('-') == 'a-b-c'",
  "self.s.replace('l', 'L') == 'heLLo wörLd😀'",
  "self.s.replace('l', 'L', 1) == 'heLlo wörld😀'",
  "self.s.replace('l', 'L', 0) == self.s",
  "self.s.replace('l', 'L', -1) == 'heLLo wörLd😀'",
  "'abc'.replace('', '-') == '-a-b-c-'",
  "'abc'.replace('', '-', 2) == '-a-bc'",
  'self.s.lowerAscii() == self.s',
  "self.s2.lowerAscii() == 'hello'",
  "'HÉ'.lowerAscii() == 'hÉ'",
  "self.s2.upperAscii() == 'HELLO'",
  "'  a b \\t'.trim() == 'a b'",
  'double(self.i) == 5.0',
  'int(self.n) == 1',
  "int('12') == 12",
  "double('1.5e3') == 1500.0",
  "string(self.i) == '5'",
  "string(self.n) == '1.5'",
  "string(1000000.0) == '1e+06'",
  "string(123456.0) == '123456'",
  "string(true) == 'true'",
  "bool('true')",
  'uint(5) == 5u',
  "self.ios.endsWith('%')",
  "type(self.ios) == int ? self.ios > 10 : self.ios.matches('^[0-9]+%$')",
  "self.t > timestamp('2024-01-01T00:00:00Z')",
  "self.t == timestamp('2024-02-29T12:34:56.789Z')",
  'self.t.getFullYear() == 2024',
  'self.t.getMonth() == 1',
  'self.t.getDate() == 29',
  'self.t.getDayOfMonth() == 28',
  'self.t.getDayOfWeek() == 4',
  'self.t.getDayOfYear() == 59',
  'self.t.getHours() == 12',
  'self.t.getMinutes() == 34',
  'self.t.getSeconds() == 56',
  'self.t.getMilliseconds() == 789',
  "self.t.getHours('+02:00') == 14",
  "self.t.getHours('-01:30') == 11",
  "self.t + duration('1h') > self.t",
  "self.t - self.t == duration('0s')",
  "self.t - duration('1h') < self.t",
  "string(self.t) == '2024-02-29T12:34:56.789Z'",
  'int(self.t) == 1709210096',
  "self.d == duration('90m')",
  "self.d > duration('1h')",
  'self.d.getHours() == 1',
  'self.d.getMinutes() == 90',
  'self.d.getSeconds() == 5400',
  'self.d.getMilliseconds() == 5400000',
  "string(self.d) == '5400s'",
  "duration('1.5s') + duration('500ms') == duration('2s')",
  "self.day == timestamp('2023-01-05T00:00:00Z')",
  "self.by == b'hello'",
  "self.by == bytes('hello')",
  "string(self.by) == 'hello'",
  'self.by.size() == 5',
  'size(self.by) == 5',
  "self.by + b'!' == b'hello!'",
  'self.l.size() == 3',
  'size(self.l) == 3',
  'self.li.sum() == 6',
  'self.ln.sum() == 3.5',
  '[].sum() == 0',
  'self.li.min() == 1',
  'self.li.max() == 3',
  "self.l.max() == 'c'",
  'self.l.isSorted()',
  'self.li.indexOf(1) == 1',
  'self.li.lastIndexOf(9) == -1',
  'self.m.size() == 2',
  "isURL('https://example.com:80/path?x=1')",
  "isURL('/abs')",
  "isURL('mailto:foo')",
  "isURL('http://[::1]:80/')",
  "url('https://user:pw@Example.com:8080/pa th?k1=a&k2=b&k2=c#f').getHost() == 'Example.com:8080'",
  "url('https://example.com:80/').getHostname() == 'example.com'",
  "url('https://[::1]:80/').getHostname() == '::1'",
  "url('https://[::1]:80/').getHost() == '[::1]:80'",
  "url('https://example.com:80/').getPort() == '80'",
  "url('https://example.com/').getPort() == ''",
  "url('https://example.com/path with spaces/').getEscapedPath() == '/path%20with%20spaces/'",
  "url('https://example.com/a%2Fb').getEscapedPath() == '/a%2Fb'",
  "url('https://example.com/é').getEscapedPath() == '/%C3%A9'",
  "url('HTTPS://example.com').getScheme() == 'https'",
  "url('https://example.com').getEscapedPath() == ''",
  "url('/path').getScheme() == ''",
  "url('https://example.com/path?k1=a&k2=b&k2=c').getQuery() == {'k1': ['a'], 'k2': ['b', 'c']}",
  "url('https://example.com/p?a+b=c%20d').getQuery() == {'a b': ['c d']}",
  "url('https://example.com/path').getQuery().size() == 0",
  "url('https://a/') == url('https://a/')",
  "ip('127.0.0.1').isLoopback()",
  "ip('192.168.0.1').family() == 4",
  "ip('::1').family() == 6",
  "isIP('1.2.3.4')",
  "ip.isCanonical('2001:db8::1')",
  "ip('10.0.0.1').isGlobalUnicast()",
  "ip('0.0.0.0').isUnspecified()",
  "ip('224.0.0.1').isLinkLocalMulticast()",
  "ip('ff02::1').isLinkLocalMulticast()",
  "ip('169.254.1.1').isLinkLocalUnicast()",
  "ip('fe80::1').isLinkLocalUnicast()",
  "string(ip('2001:0db8:0:0::1')) == '2001:db8::1'",
  "ip('1.2.3.4') == ip('1.2.3.4')",
  "isCIDR('10.0.0.0/8')",
  "cidr('10.0.0.0/8').containsIP('10.1.2.3')",
  "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
  "cidr('10.0.0.5/8').ip() == ip('10.0.0.5')",
  "cidr('10.0.0.5/8').masked() == cidr('10.0.0.0/8')",
  "cidr('10.0.0.0/8').prefixLength() == 8",
  "string(cidr('10.0.0.5/8')) == '10.0.0.5/8'",
  "quantity('200M').compareTo(quantity('0.2G')) == 0",
  "quantity('50M').compareTo(quantity('50Mi')) == -1",
  "quantity('50Mi').isGreaterThan(quantity('50M'))",
  "quantity('50M').isLessThan(quantity('50Mi'))",
  "isQuantity('1.3Gi')",
  "isQuantity('1e3')",
  "isQuantity('1E')",
  "isQuantity('.5')",
  "isQuantity('5.')",
  "isQuantity('-5m')",
  "quantity('5').isInteger()",
  "quantity('50k').asInteger() == 50000",
  "quantity('50k').sub(20000).asApproximateFloat() == 30000.0",
  "quantity('50k').add(quantity('20k')) == quantity('70k')",
  "quantity('50k').add(20).sub(quantity('100k')).sub(-50000) == quantity('20')",
  "sign(quantity('-5')) == -1",
  "sign(quantity('0')) == 0",
  "quantity('1.5').asApproximateFloat() == 1.5",
  "!format.dns1123Label().validate('my-name').hasValue()",
  "format.dns1123Label().validate('My.name').hasValue()",
  "format.dns1123Label().validate('a.b').value() == ['must not contain dots']",
  "format.named('dns1123Label').hasValue()",
  "format.uuid().validate('x').value() == ['does not match the UUID format']",
  "format.datetime().validate('x').value() == ['invalid datetime']",
  "format.labelValue().validate('-x').hasValue()",
  "format.qualifiedName().validate('a/b/c').hasValue()",
  'sets.contains([1,2,3], [1,2])',
  'sets.equivalent([1,2], [2,1,1])',
  'strings.quote(\'a"b\') == \'"a\\\\"b"\'',
  "'%d'.format([5]) == '5'",
  "'%s'.format([1.5]) == '1.5'",
  "'%.2f'.format([1.5]) == '1.50'",
  "'%x'.format([255]) == 'ff'",
  "'%b'.format([5]) == '101'",
  '\'%s\'.format([self.l]) == \'["a", "b", "c"]\'',
  "'%s'.format([[1,2]]) == '[1, 2]'",
  "'%%'.format([]) == '%'",
];

const FAILS: readonly string[] = [
  'self.s.size() == 13',
  'size(self.s) == 13',
  "matches(self.s, 'w[[:alpha:]]r')",
  "self.s.lastIndexOf('') == 13",
  "self.s.lastIndexOf('😀') == 12",
  "self.s.charAt(12) == '😀'",
  "self.s.split('') .size() == 13",
  'self.li.isSorted()',
  "isURL('../relative')",
  "isURL('https://a:b:c/')",
  "isURL('')",
  "isURL('http://exa mple.com/')",
  "isURL('http://ex%41mple.com/')",
  "isURL('http://a/%zz')",
  "isIP('01.2.3.4')",
  "isIP('::ffff:1.2.3.4')",
  "isIP('fe80::1%eth0')",
  "isIP('1.2.3')",
  "ip.isCanonical('2001:DB8::1')",
  "ip('255.255.255.255').isGlobalUnicast()",
  "isCIDR('10.0.0.0/33')",
  "isCIDR('10.0.0.1')",
  "cidr('10.0.0.0/8').containsIP(ip('11.1.2.3'))",
  "cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))",
  "isQuantity('1,3G')",
  "isQuantity('200K')",
  "isQuantity('Three')",
  "isQuantity('')",
  "quantity('5500m').isInteger()",
  "quantity('9999999999999999999999999999999999999G').isInteger()",
  "format.dns1123Subdomain().validate('a.b').hasValue()",
  "format.named('nope').hasValue()",
  "format.date().validate('2020-01-01').hasValue()",
  "format.byte().validate('aGVsbG8=').hasValue()",
  "format.uri().validate('http://a').hasValue()",
  'sets.intersects([1,2], [3])',
  'self.s.matches("\\\\d+")',
];

const BREAKS: readonly (readonly [rule: string, text: string])[] = [
  ["self.s.matches(self.s2 + '[')", 'error parsing regexp: missing closing ]: `[`'],
  ["self.s.indexOf('l', -1) == -1", 'index out of range: -1'],
  ["''.lastIndexOf('a') == -1", 'index out of range: -1'],
  ["self.s.substring(9, 6) == ''", 'invalid substring range. start: 9, end: 6'],
  ["self.s.substring(100) == ''", 'index out of range: 100'],
  ["self.s.substring(-1) == ''", 'index out of range: -1'],
  ["self.s.substring(0, 100) == ''", 'index out of range: 100'],
  ["self.s.charAt(13) == ''", 'index out of range: 13'],
  ["self.s.charAt(14) == ''", 'index out of range: 14'],
  ['uint(3) - 5u == 1u', 'unsigned integer overflow'],
  ['duration(self.s) == self.d', "type conversion error from 'string' to 'google.protobuf.Duration'"],
  ['timestamp(self.s) == self.t', "type conversion error from 'string' to 'google.protobuf.Timestamp'"],
  [
    "url('../x').getHost() == ''",
    'URL parse error during conversion from string: parse "../x": invalid URI for request',
  ],
  [
    "ip('x').family() == 4",
    'IP Address "x" parse error during conversion from string: ParseAddr("x"): unable to parse IP',
  ],
  [
    "cidr('x').prefixLength() == 8",
    'network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("x"): no \'/\'',
  ],
  [
    "quantity('abc').isInteger()",
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  ["quantity('5500m').asInteger() == 5", 'cannot convert value to integer'],
];

const REFUSED: readonly (readonly [rule: string, text: string])[] = [
  ["self.s.matches('[')", '1:16: invalid matches argument'],
  ["duration('x') == self.d", '1:10: invalid duration argument'],
  ["timestamp('x') == self.t", '1:11: invalid timestamp argument'],
  ["[1, 'a'].size() == 2", "1:5: expected type 'int' but found 'string'"],
  ["{'a': 1, 'b': 'c'}.size() == 2", "1:15: expected type 'int' but found 'string'"],
  ['self.s.size(1) == 1', "1:12: found no matching overload for 'size' applied to 'string.(int)'"],
  ['size(1) == 1', "1:5: found no matching overload for 'size' applied to '(int)'"],
];

/** The text of the one problem that the rule makes of the object; empty if the rule holds. */
function verdict(rule: string): string {
  const problems = validate({ ...SCHEMA, 'x-kubernetes-validations': [{ rule }] }, VALUE);
  expect(problems.length).toBeLessThanOrEqual(1);
  return problems[0]?.message ?? '';
}

describe('the functions of rules', () => {
  it.each(REFUSED)('refuses %s', (rule, text) => {
    expect(verdict(rule)).toMatch(/^Invalid value: "object": rule compile error: /);
    expect(verdict(rule)).toContain(text);
  });

  it.each(BREAKS)('breaks on %s', (rule, text) => {
    const message = verdict(rule);
    expect(message.startsWith(`Invalid value: "object": ${text}`)).toBe(true);
    expect(message.endsWith(`rule: ${rule}`)).toBe(true);
  });

  it.each(FAILS)('is false for %s', (rule) => {
    expect(verdict(rule)).toBe(`Invalid value: "object": failed rule: ${rule}`);
  });

  it.each(HOLDS)('is true for %s', (rule) => {
    expect(verdict(rule)).toBe('');
  });

  it.each(['Mi', '.', 'e5', '5Gi5', '1e', '--1'])('takes %s for no quantity', (text) => {
    // The real server takes the first three, the first of them against its own documentation.
    expect(verdict(`isQuantity('${text}')`)).not.toBe('');
  });

  it('knows no time zones by name', () => {
    expect(verdict("self.t.getHours('Europe/Berlin') == 13")).toContain('unknown time zone Europe/Berlin');
  });

  it('decodes bytes in either alphabet of base64', () => {
    const schema: StructuralSchema = {
      type: 'string',
      format: 'byte',
      'x-kubernetes-validations': [{ rule: "self == b'\\xfb\\xff'" }],
    };
    // The real server accepts this text and then fails to decode it.
    expect(validate(schema, '+/8=')).toEqual([]);
  });
});
