type Spell = (octets: readonly [number, number, number, number], port: string) => string;

const dec = (octets: readonly number[]): number => octets.reduce((value, octet) => value * 256 + octet, 0);
const hex = (value: number, width = 0): string => value.toString(16).padStart(width, '0');
const dotted = (octets: readonly number[]): string => octets.join('.');
const pair = ([a, b, c, d]: readonly [number, number, number, number]): string =>
  `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
const wide = (text: string): string => text.replace(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));

/** Ways to write an IPv4 address in a URL, each of which some parser or checker has fallen for. */
export const SPELLINGS: Readonly<Record<string, Spell>> = {
  plain: (a, port) => `http://${dotted(a)}${port}/`,
  'upper-case scheme': (a, port) => `HTTP://${dotted(a)}${port}/`,
  'no slashes': (a, port) => `http:${dotted(a)}${port}/`,
  backslashes: (a, port) => `http:\\\\${dotted(a)}${port}\\`,
  'many slashes': (a, port) => `http:////${dotted(a)}${port}/`,
  'trailing dot': (a, port) => `http://${dotted(a)}.${port}/`,
  blanks: (a, port) => ` \thttp://${dotted(a)}${port}/\n`,
  'tab and newline inside': (a, port) => `ht\ntp://${dotted(a).replace('.', '.\t')}${port}/`,
  decimal: (a, port) => `http://${dec(a)}${port}/`,
  hexadecimal: (a, port) => `http://0x${hex(dec(a))}${port}/`,
  'upper-case hexadecimal': (a, port) => `http://0X${hex(dec(a)).toUpperCase()}${port}/`,
  octal: (a, port) => `http://0${dec(a).toString(8)}${port}/`,
  'octal with zeros': (a, port) => `http://00000${dec(a).toString(8)}${port}/`,
  'hexadecimal parts': (a, port) => `http://${a.map((octet) => `0x${hex(octet)}`).join('.')}${port}/`,
  'octal parts': (a, port) => `http://${a.map((octet) => `0${octet.toString(8)}`).join('.')}${port}/`,
  'padded octal parts': (a, port) =>
    `http://${a.map((octet) => `0${octet.toString(8).padStart(6, '0')}`).join('.')}${port}/`,
  'mixed parts': ([a, b, c, d], port) => `http://0x${hex(a)}.0${b.toString(8)}.${c * 256 + d}${port}/`,
  'two parts': ([a, ...rest], port) => `http://${a}.${dec(rest)}${port}/`,
  'three parts': ([a, b, ...rest], port) => `http://${a}.${b}.${dec(rest)}${port}/`,
  'full-width digits': (a, port) => `http://${wide(dotted(a))}${port}/`,
  'ideographic full stops': (a, port) => `http://${a.join('\u3002')}${port}/`,
  'half-width full stops': (a, port) => `http://${a.join('\uff61')}${port}/`,
  'mathematical digits': (a, port) =>
    `http://${dotted(a).replace(/[0-9]/g, (digit) => String.fromCodePoint(0x1d7ce + Number(digit)))}${port}/`,
  'soft hyphen': (a, port) => `http://${dotted(a).replace('.', '\u00ad.')}${port}/`,
  'percent-encoded': (a, port) => `http://${dotted(a).replace(/./g, (c) => `%${hex(c.charCodeAt(0))}`)}${port}/`,
  'as a user name before a fragment': (a, port) => `http://${dotted(a)}${port}#@public.test/`,
  'before a query': (a, port) => `http://${dotted(a)}${port}?@public.test/`,
  'before a backslash': (a, port) => `http://${dotted(a)}${port}\\@public.test/`,
  'after a user': (a, port) => `http://public.test@${dotted(a)}${port}/`,
  'after a user and password': (a, port) => `http://public.test:80@${dotted(a)}${port}/`,
  'after two users': (a, port) => `http://a@public.test@${dotted(a)}${port}/`,
  'after an escaped slash': (a, port) => `http://public.test%2f@${dotted(a)}${port}/`,
  'IPv4-mapped': (a, port) => `http://[::ffff:${pair(a)}]${port}/`,
  'IPv4-mapped, dotted': (a, port) => `http://[::ffff:${dotted(a)}]${port}/`,
  'IPv4-mapped, long': (a, port) => `http://[0:0:0:0:0:FFFF:${dotted(a)}]${port}/`,
  'IPv4-compatible': (a, port) => `http://[::${dotted(a)}]${port}/`,
  'IPv4-translated': (a, port) => `http://[::ffff:0:${dotted(a)}]${port}/`,
  NAT64: (a, port) => `http://[64:ff9b::${dotted(a)}]${port}/`,
  'local NAT64': (a, port) => `http://[64:ff9b:1::${dotted(a)}]${port}/`,
  '6to4': (a, port) => `http://[2002:${pair(a)}::1]${port}/`,
  Teredo: (a, port) => `http://[2001:0:4136:e378:8000:63bf:${pair(a)}]${port}/`,
  'https, plain': (a, port) => `https://${dotted(a)}${port}/`,
  'https, mapped': (a, port) => `https://[::ffff:${dotted(a)}]${port}/`,
};

/** URLs that are refused without a look at any address. */
export const NO_HTTP_URLS: readonly string[] = [
  ...['', ' ', 'http://exa mple.com/', `http://${'a.'.repeat(130)}test/`],
  ...`/etc/passwd //example.com/ example.com http:// http:/// http://. http://./ http://a..b/ http://example.com../
    http://example.com:65536/ http://example.com:0/ http://256.1.1.1/ http://1.2.3.4.5/ http://0x1.2.3.4.5/ http://[::1/
    http://[fe80::1%25eth0]/ http://[example.com]/ http://example.com%00.internal/ http://user@example.com/
    http://user:pass@example.com/ http://:pass@example.com/ file:///etc/passwd file://127.0.0.1/etc/passwd
    ftp://example.com/ gopher://127.0.0.1:6379/_INFO dict://127.0.0.1:11211/ ldap://127.0.0.1/ ws://example.com/
    wss://example.com/ data:text/plain,x javascript:1 blob:http://example.com/x about:blank unix:/var/run/docker.sock
    http+unix://%2Fvar%2Frun%2Fdocker.sock/info jar:http://example.com!/ view-source:http://example.com/`.split(/\s+/),
];
