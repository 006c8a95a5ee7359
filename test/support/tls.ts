import { createPrivateKey } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

// A certificate of its own authority for secure.test and *.secure.test, valid from 2020 to 2120, worth nothing elsewhere.
const KEY = `MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9lteavetzWDas53NSABJpUoRP5U8jmk8RXuH248fCxehRANCAARxGFxPqlNaZn8Y
gTnvuM/pDE4z95ACE5UtVbmE7RsRzxd5HXvQndmKiGGRq40XAzTNeZk7PfjK6tyW/L5Ef+CT`;
const CERTIFICATE = `MIIBdzCCARygAwIBAgIBATAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAtUZXN0IHNlcnZlcjAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEw
MTAwMDAwMFowFjEUMBIGA1UEAwwLVGVzdCBzZXJ2ZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARxGFxPqlNaZn8YgTnvuM/pDE4z95ACE5UtVbmE
7RsRzxd5HXvQndmKiGGRq40XAzTNeZk7PfjK6tyW/L5Ef+CTo1kwVzAPBgNVHRMBAf8EBTADAQH/MCUGA1UdEQQeMByCC3NlY3VyZS50ZXN0gg0qLnNl
Y3VyZS50ZXN0MB0GA1UdDgQWBBQsP1fRdWmDOg3D04vOB67KWhOa5zAKBggqhkjOPQQDAgNJADBGAiEAjyvGhYfBElfAGhv8I5yICfH9tOI6f3Qwnmxx
pAyzufICIQCk8wGT5y8Nc7BrDtjPESrHhn3DlqHWqQFfckbJAvdXVg==`;

/** The key and certificate of a test server, as PEM. */
export const TEST_TLS = {
  key: createPrivateKey({ key: Buffer.from(KEY, 'base64'), format: 'der', type: 'pkcs8' }).export({
    format: 'pem',
    type: 'pkcs8',
  }) as string,
  cert: `-----BEGIN CERTIFICATE-----\n${CERTIFICATE}\n-----END CERTIFICATE-----\n`,
};

/** Makes this process trust the test certificate. @returns a function that takes the trust away again */
export function trustTestCertificate(): () => void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, TEST_TLS.cert]);
  return () => setDefaultCACertificates(before);
}
