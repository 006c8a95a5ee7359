import { X509Certificate } from 'node:crypto';
import type { V1Secret } from '@kubernetes/client-node';
import { iso } from '../../../src/common/clock.ts';
import { clip } from '../../../src/common/truncate.ts';
import { type KubernetesObject, RESOURCES } from '../k8s/api.ts';
import type { Client } from '../k8s/client.ts';

import type { SvcInstance } from './instances.ts';

/** The certificate that the edge is given, as browsers will see it. */
export interface CertificateFound {
  /** A word for a condition, and a sentence. */
  problem?: { reason: string; message: string };
  /** Epoch milliseconds of when time alone makes it good, or bad. */
  nextChange?: number;
}

const MAX_NAMES = 200;

/** The certificate of `spec.tls.secretName`; the edge has one of its own where no Secret is named. */
export async function readCertificate(
  client: Client,
  { metadata, spec }: Pick<SvcInstance, 'metadata' | 'spec'>,
  now: number,
): Promise<CertificateFound> {
  const { secretName } = spec.tls;
  if (secretName === undefined) return {};
  const secret = await client.get<V1Secret & KubernetesObject>(RESOURCES.secret, metadata.namespace, secretName);
  if (!secret) return problem('CertificateMissing', `There is no ${named(secretName)}: create it.`);
  // Nothing else of it is looked at: there is a private key in it.
  const text = Buffer.from(secret.data?.['tls.crt'] ?? '', 'base64').toString();
  return certificateFound(text, { what: named(secretName), host: spec.host, now });
}

/** @param text PEM, the edge's own certificate first */
export function certificateFound(
  text: string,
  { what, host, now }: { what: string; host: string; now: number },
): CertificateFound {
  const certificate = parsed(text);
  if (!certificate) return problem('CertificateUnusable', `${what}, has no certificate under tls.crt: put one there.`);
  // Browsers look at no common name.
  if (certificate.checkHost(host, { subject: 'never' }) === undefined) {
    const names = clip(certificate.subjectAltName ?? 'no name', MAX_NAMES);
    return problem('CertificateOfOtherName', `${what}, has a certificate for ${names}, not for ${host}: renew it.`);
  }
  const [from, until] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  if (now < from) {
    return {
      ...problem('CertificateNotYetValid', `${what}, has a certificate from ${iso(from)} on.`),
      nextChange: from,
    };
  }
  if (now >= until) {
    return problem('CertificateExpired', `${what}, has a certificate that expired on ${iso(until)}: renew it.`);
  }
  return { nextChange: until };
}

function parsed(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text);
  } catch {
    return undefined;
  }
}

function named(secretName: string): string {
  return `Secret ${secretName}, which spec.tls.secretName names`;
}

function problem(reason: string, message: string): CertificateFound {
  return { problem: { reason, message } };
}
