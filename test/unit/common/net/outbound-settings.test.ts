import { expect } from 'chai';
import { parseAllowList } from '../../../../src/common/net/allow-list.ts';
import { parseDenyList } from '../../../../src/common/net/outbound-settings.ts';
import { openDoor, refusal } from '../../../support/outbound.ts';

const METADATA = '169.254.169.254';
/** Names that lead elsewhere than to an internal address. */
const NAMES: Record<string, string[]> = {
  ...{ 'pod.test': ['8.8.8.8'], 'both.test': ['1.1.1.1', '8.8.8.8'], 'six.test': ['2606:4700::1111'] },
  ...{ 'meta.test': [METADATA], 'five.test': ['10.0.0.5'] },
};

describe('SVC_FETCH_ALLOW_HOSTS and SVC_FETCH_DENY', () => {
  const RULES: [allow: string, deny: string, reached: string, refused: string][] = [
    [' ,, ', ' ,, ', '8.8.8.8 pod.test', '10.0.0.1 other.test'],
    [
      'files.internal',
      '',
      'files.internal files.internal:9000 FILES.internal.',
      'sub.files.internal files.internal.evil.test xfiles.internal five.test 10.0.0.5',
    ],
    [' Files.INTERNAL. , other', '', 'files.internal:443', ''],
    ['a.test:9000,a.test:9001', '', 'a.test:9000 a.test:9001', 'a.test a.test:9002'],
    ['a.test:1,b.test:65535', '', 'a.test:1 b.test:65535', 'a.test b.test:1'],
    ['my_service,bücher.test', '', 'my_service xn--bcher-kva.test', ''],
    ['10.0.0.5', '', '10.0.0.5 10.0.0.5:81 0x0a000005 [::ffff:10.0.0.5] five.test', '10.0.0.6 other.test'],
    ['10.0.0.5:8443', '', '10.0.0.5:8443 five.test:8443', '10.0.0.5:443 five.test'],
    ['10.1.0.0/16', '', '10.1.255.255:1 [::ffff:10.1.2.3]', '10.2.0.0:1 10.0.255.255'],
    ['10.1.0.0/16:8080', '', '10.1.2.3:8080', '10.1.2.3:8081'],
    ['::ffff:10.1.0.0/112', '', '10.1.2.3', '10.2.0.0'],
    ['::ffff:10.1.2.3', '', '10.1.2.3', '10.1.2.4'],
    ['::1', '', '[::1]', '10.0.0.1'],
    ['[::1]', '', '[::1]:81', ''],
    ['[::1]:8080', '', '[::1]:8080', '[::1]'],
    ['fd00::/8', '', '[fd12::1]', '[fc12::1]'],
    ['[fd00::/8]:443', '', '[fd12::1]:443', '[fd12::1]'],
    ['[fd00::]/8:443', '', '[fd12::1]:443', '[fd12::1]'],
    ['0.0.0.0/0', '', '10.0.0.1', '[::1] 168.63.129.16'],
    ['::/0', '', '[::1]', '10.0.0.1 [fd00:ec2::254]'],
    // A cloud's metadata service has to be listed by itself.
    ['169.254.0.0/16,meta.test', '169.254.0.0/16', '', `${METADATA} meta.test 169.254.1.2`],
    ['169.254.0.0/16', '', '169.254.1.2', METADATA],
    [`meta.test,${METADATA}`, '', `${METADATA} meta.test`, ''],
    ['', '8.8.8.8', '8.8.4.4', '8.8.8.8'],
    ['', '8.0.0.0/8', '[2606:4700::9]', '8.8.8.8'],
    ['', '0.0.0.0/0', 'six.test', '8.8.8.8'],
    ['', '8.8.8.0/24', '8.8.4.4', 'pod.test both.test [::ffff:8.8.8.8]'],
    ['', '1.1.1.1, 2606:4700::/32,', '8.8.8.8', 'six.test [2606:4700::9] both.test'],
    // A wide range in the allow list has room for one that is denied.
    ['8.0.0.0/8', '8.8.8.0/24', '8.1.1.1', '8.8.8.8'],
    ['8.8.8.0/24', '8.8.8.0/24', '', '8.8.8.8'],
    ['8.8.8.0/25', '8.8.8.0/24', '8.8.8.8', '8.8.8.200'],
    ['8.8.8.8:80', '8.8.8.0/24', '8.8.8.8', '8.8.8.8:81'],
    ['10.0.0.0/8', '10.96.0.0/12', '10.1.0.1', '10.96.0.1'],
    ['pod.test', '8.0.0.0/8', 'pod.test', 'both.test'],
  ];
  for (const [allow, deny, reached, refused] of RULES) {
    it(`"${allow}" and "${deny}": open to ${reached || 'nothing'}, not to ${refused || 'anything else'}`, async () => {
      const check = (host: string) => {
        const name = host.toLowerCase().replace(/:\d+$|\.$/g, '');
        return openDoor(allow, { [name]: [NAMES[name] ?? ['10.9.9.9']] }, deny).door.check(`http://${host}/`);
      };
      for (const host of reached.split(' ').filter(Boolean)) await check(host);
      for (const host of refused.split(' ').filter(Boolean)) {
        expect(await refusal(check(host), 'url_not_allowed'), host).to.deep.equal({ reason: 'address' });
      }
    });
  }

  const MISTAKES: Record<string, string[]> = {
    'a strange name': ['*.internal', 'a b', 'a..b', '.', '-a.test', 'a%2eb', `${'a'.repeat(64)}.test`],
    'more than a name': ['http://files.internal', 'files.internal/path', 'user@files.internal'],
    'a wrong port': ['files.internal:0', 'files.internal:65536', 'files.internal:http', 'files.internal:', ':8080'],
    'wrong brackets': ['[files.internal]:80', '[10.0.0.1]', '[::1', '[::1]x'],
    'an odd address': ['127.1', '0x7f000001', '2130706433', '256.1.1.1', 'fe80::1%eth0'],
    'a wrong prefix': ['10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/-1', 'fd00::/129', '10.0.0.0/255.0.0.0'],
    'an address in a network': ['10.1.2.3/8', '::ffff:10.0.0.0/90', 'fd00::1/8'],
    'no address, to deny': ['pods.internal', '8.8.8.0/24:80', '[2606::]/16', '2606::/16:80'],
  };
  for (const [what, items] of Object.entries(MISTAKES)) {
    it(`name ${what} as a mistake, and keep the rest`, () => {
      for (const item of items) {
        for (const parse of what.includes('deny') ? [parseDenyList] : [parseAllowList, parseDenyList]) {
          const { list, mistakes } = parse(`1.1.1.1,${item},10.0.0.1`);
          expect([list.length, mistakes.length], item).to.deep.equal([2, 1]);
          expect(mistakes[0]?.startsWith(`${item}: `), item).to.equal(true);
        }
      }
    });
  }

  it('say what to write instead of a CIDR with an address in it', () => {
    expect(parseAllowList('172.17.0.1/16').mistakes[0]).to.contain('write 172.17.0.0/16 or 172.17.0.1');
  });
});
