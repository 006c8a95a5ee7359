import { expect } from 'chai';
import { parseDenyList } from '../../../../src/common/net/deny-list.ts';
import { openDoor, refusal } from '../../../support/outbound.ts';

const PUBLIC = '8.8.8.8';
const NAMES = { 'pod.test': [[PUBLIC]], 'both.test': [['1.1.1.1', PUBLIC]], 'six.test': [['2606:4700::1111']] };

describe('SVC_FETCH_DENY', () => {
  for (const text of [
    'pods.internal',
    '8.8.8.0/33',
    '8.8.8.8/24',
    '8.8.8.0/24:80',
    '8.8.8',
    '[2606::]/16',
    '2606::/16:80',
  ]) {
    it(`has no item ${text}`, () => {
      const { list, mistakes } = parseDenyList(`1.1.1.1,${text}`);
      expect([list.length, mistakes.length]).to.deep.equal([1, 1]);
      expect(mistakes[0]).to.match(/^\S+: \S/);
    });
  }

  const refused: [deny: string, url: string, allow?: string][] = [
    [PUBLIC, `http://${PUBLIC}/`],
    ['8.0.0.0/8', `http://${PUBLIC}/`],
    ['0.0.0.0/0', `http://${PUBLIC}/`],
    ['8.8.8.0/24', 'http://pod.test/'],
    ['8.8.8.0/24', 'http://both.test/'],
    ['8.8.8.0/24', 'http://[::ffff:8.8.8.8]/'],
    ['2606:4700::/32', 'http://six.test/'],
    ['1.1.1.1, 2606:4700::/32,', 'http://[2606:4700::9]/'],
    // A wide range in the allow list has room for one that is denied.
    ['8.8.8.0/24', `http://${PUBLIC}/`, '8.0.0.0/8'],
    ['8.8.8.0/24', `http://${PUBLIC}/`, '8.8.8.0/24'],
    ['10.96.0.0/12', 'http://10.96.0.1/', '10.0.0.0/8'],
    ['8.8.8.0/24', `http://${PUBLIC}:81/`, '8.8.8.8:80'],
    ['8.8.8.0/24', 'http://pod.test/', 'other.test'],
  ];
  for (const [deny, url, allow = ''] of refused) {
    it(`"${deny}" refuses ${url}${allow && ` beside "${allow}"`}`, async () => {
      expect(await refusal(openDoor(allow, NAMES, deny).door.check(url), 'url_not_allowed')).to.deep.equal({
        reason: 'address',
      });
    });
  }

  const reached: [deny: string, url: string, allow?: string][] = [
    ['', `http://${PUBLIC}/`],
    ['8.8.4.0/24', `http://${PUBLIC}/`],
    ['2606:4700::/32', `http://${PUBLIC}/`],
    ['8.8.8.0/24', `http://${PUBLIC}/`, '8.8.8.8'],
    ['8.8.8.0/24', `http://${PUBLIC}/`, '8.8.8.0/25'],
    ['8.0.0.0/8', 'http://pod.test/', 'pod.test'],
    ['10.96.0.0/12', 'http://10.1.0.1/', '10.0.0.0/8'],
  ];
  for (const [deny, url, allow = ''] of reached) {
    it(`"${deny}" does not refuse ${url}${allow && ` beside "${allow}"`}`, async () => {
      await openDoor(allow, NAMES, deny).door.check(url);
    });
  }

  it('opens no metadata service by the name of it', async () => {
    const door = openDoor('meta.test', { 'meta.test': [['169.254.169.254']] }, '169.254.0.0/16').door;
    await refusal(door.check('http://meta.test/'), 'url_not_allowed');
  });
});
