import { resolve } from 'node:path';
import { expect } from 'chai';
import { readCompose, runArguments } from '../../../cmd/local/compose.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

describe('docker run of a service in compose.yaml', () => {
  it('gives the editor the settings of the file, but for its gate, and a password that no command line has', () => {
    const compose = readCompose({ SVC_HOST: 'localhost:8081', SVC_FRAME_ANCESTORS: 'localhost:* portal.example' });
    const words = runArguments(compose, 'editor', {
      project: 'svc-8081',
      environment: { aliasgroup1: 'http://172.17.0.1:8082' },
      inherited: ['password'],
      publish: '127.0.0.1:9980:9980',
    });
    const { image, environment = {}, command = [] } = compose.services['editor'] ?? {};
    expect(words.slice(0, 4)).to.deep.equal(['run', '--rm', '--name', 'svc-8081-editor']);
    expect(findValues(words, '--cap-drop')).to.deep.equal(['ALL']);
    expect(findValues(words, '--cap-add')).to.deep.equal(['CHOWN', 'FOWNER', 'SYS_CHROOT']);
    expect(findValues(words, '--volume')).to.deep.equal(['svc-8081-quarantine:/quarantine']);
    expect(findValues(words, '--publish')).to.deep.equal(['127.0.0.1:9980:9980']);
    expect(findValues(words, '--env')).to.deep.equal([
      ...['username=admin', 'server_name=localhost:8081', 'aliasgroup1=http://172.17.0.1:8082'],
      ...['DONT_GEN_SSL_CERT=true', `extra_params=${environment['extra_params']}`, 'password'],
    ]);
    expect(words.slice(words.indexOf(image ?? ''))).to.deep.equal([image, ...command]);
    expect(command).to.deep.equal(['--o:net.content_security_policy=frame-ancestors localhost:* portal.example']);
  });

  it('runs what keeps the quarantine as restricted as the file says, with its script', () => {
    const words = runArguments(readCompose({}), 'quarantine-keeper', { project: 'svc-8080' });
    expect(words).to.include('--read-only');
    expect(findValues(words, '--cap-drop')).to.deep.equal(['ALL']);
    expect(findValues(words, '--security-opt')).to.deep.equal(['no-new-privileges:true']);
    expect(findValues(words, '--user')).to.deep.equal(['1001:1001']);
    expect(findValues(words, '--volume')).to.include(`${ROOT}/ingress/editor/quarantine.sh:/quarantine.sh:ro`);
    expect([...findValues(words, '--entrypoint'), words.at(-1)]).to.deep.equal(['sh', '/quarantine.sh']);
  });

  it('runs what needs no network without one', () => {
    const words = runArguments(readCompose({}), 'quarantine', { project: 'svc-8080' });
    expect(findValues(words, '--network')).to.deep.equal(['none']);
  });

  it('knows no other service', () => {
    const compose = readCompose({});
    expect(() => runArguments(compose, 'editors', { project: 'svc' })).to.throw(TypeError, 'no service editors');
  });
});

function findValues(words: readonly string[], option: string): string[] {
  return words.flatMap((word, index) => (words[index - 1] === option ? [word] : []));
}
