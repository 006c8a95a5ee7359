import { expect } from 'chai';
import { parseDenyList } from '../../../../src/common/net/outbound-settings.ts';
import { openDoor, refusal } from '../../../support/outbound.ts';

const PUBLIC = '8.8.8.8';
const NAMES = { 'pod.test': [[PUBLIC]], 'both.test': [['1.1.1.1', PUBLIC]], 'six.test': [['2606:4700::1111']] };

describe('SVC_FETCH_DENY', () => {
  const WRONG = ['pods.internal', '8.8.8.0/33', '8.8.8.8/24', '8.8.8.0/24:80', '8.8.8', '[2606::]/16', '2606::/16:80'];
  for (const text of WRONG) {
    it(`has no item ${text}`, () => {
      const { list, mistakes } = parseDenyList(`1.1.1.1,${text}`);
      expect([list.length, mistakes.length]).to.deep.equal([1, 1]);
      expect(mistakes[0]).to.match(/^\S+: \S/);
    });
  }

  const CASES: [verdict: 'refuses' | 'reaches', deny: string, url: string, allow?: string][] = [
    ['refuses', PUBLIC, `http://${PUBLIC}/`],
    ['refuses', '8.0.0.0/8', `http://${PUBLIC}/`],
    ['refuses', '0.0.0.0/0', `http://${PUBLIC}/`],
    ['refuses', '8.8.8.0/24', 'http://pod.test/'],
    ['refuses', '8.8.8.0/24', 'http://both.test/'],
    ['refuses', '8.8.8.0/24', 'http://[::ffff:8.8.8.8]/'],
    ['refuses', '2606:4700::/32', 'http://six.test/'],
    ['refuses', '1.1.1.1, 2606:4700::/32,', 'http://[2606:4700::9]/'],
    // A wide range in the allow list has room for one that is denied.
    ['refuses', '8.8.8.0/24', `http://${PUBLIC}/`, '8.0.0.0/8'],
    ['refuses', '8.8.8.0/24', `http://${PUBLIC}/`, '8.8.8.0/24'],
    ['refuses', '10.96.0.0/12', 'http://10.96.0.1/', '10.0.0.0/8'],
    ['refuses', '8.8.8.0/24', `http://${PUBLIC}:81/`, '8.8.8.8:80'],
    ['refuses', '8.8.8.0/24', 'http://pod.test/', 'other.test'],
    ['reaches', '', `http://${PUBLIC}/`],
    ['reaches', '8.8.4.0/24', `http://${PUBLIC}/`],
    ['reaches', '2606:4700::/32', `http://${PUBLIC}/`],
    ['reaches', '8.8.8.0/24', `http://${PUBLIC}/`, '8.8.8.8'],
    ['reaches', '8.8.8.0/24', `http://${PUBLIC}/`, '8.8.8.0/25'],
    ['reaches', '8.0.0.0/8', 'http://pod.test/', 'pod.test'],
    ['reaches', '10.96.0.0/12', 'http://10.1.0.1/', '10.0.0.0/8'],
  ];
  for (const [verdict, deny, url, allow = ''] of CASES) {
    it(`"${deny}" ${verdict} ${url}${allow && ` beside "${allow}"`}`, async () => {
      const checked = openDoor(allow, NAMES, deny).door.check(url);
      if (verdict === 'reaches') await checked;
      else expect(await refusal(checked, 'url_not_allowed')).to.deep.equal({ reason: 'address' });
    });
  }

  it('opens no metadata service by the name of it', async () => {
    const door = openDoor('meta.test', { 'meta.test': [['169.254.169.254']] }, '169.254.0.0/16').door;
    await refusal(door.check('http://meta.test/'), 'url_not_allowed');
  });
});
