import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const DAYS = '30';

interface Identity {
  /** Common name. */
  name: string;
  /** Subject alternative names of a server, as OpenSSL writes them: `IP:127.0.0.1`, `DNS:localhost`. */
  hosts?: readonly string[];
}

interface KeyPair {
  /** Paths of PEM files. */
  certificate: string;
  key: string;
}

/** An authority of its own in `folder`, as `ca.crt` and `ca.key`. */
export async function makeAuthority(folder: string): Promise<KeyPair> {
  return make(folder, 'ca', [
    '-subj',
    '/CN=svc-test-ca',
    '-addext',
    'basicConstraints=critical,CA:TRUE',
    '-addext',
    'keyUsage=critical,keyCertSign',
  ]);
}

/** A key and a certificate that `authority` has signed, as `<file>.crt` and `<file>.key` in `folder`. */
export async function makeIdentity(folder: string, file: string, authority: KeyPair, who: Identity): Promise<KeyPair> {
  const names = who.hosts === undefined ? [] : ['-addext', `subjectAltName=${who.hosts.join(',')}`];
  const signed = ['-CA', authority.certificate, '-CAkey', authority.key, '-addext', 'basicConstraints=CA:FALSE'];
  return make(folder, file, ['-subj', `/CN=${who.name}`, ...signed, ...names]);
}

/** A pair of keys that signs the tokens of service accounts: `service-accounts.key` and `.pub`. */
export async function makeSigningKey(folder: string): Promise<void> {
  const key = join(folder, 'service-accounts.key');
  const publicKey = join(folder, 'service-accounts.pub');
  await openssl(['ecparam', '-genkey', '-noout', '-name', 'prime256v1', '-out', key]);
  await openssl(['ec', '-in', key, '-pubout', '-out', publicKey]);
}

async function make(folder: string, file: string, options: readonly string[]): Promise<KeyPair> {
  const pair = { certificate: join(folder, `${file}.crt`), key: join(folder, `${file}.key`) };
  // Without a configuration file, so that what a distribution's has for extensions changes nothing.
  const config = join(folder, 'openssl.conf');
  await writeFile(config, '[req]\ndistinguished_name = subject\n[subject]\n');
  const elliptic = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const output = ['-keyout', pair.key, '-out', pair.certificate, '-days', DAYS];
  await openssl(['req', '-x509', '-config', config, ...elliptic, ...output, ...options]);
  return pair;
}

async function openssl(options: readonly string[]): Promise<void> {
  await promisify(execFile)('openssl', options);
}
