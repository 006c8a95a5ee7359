import fc from 'fast-check';
import { type LicenseState, NO_LICENSE } from '../../../../src/common/crypto/license.ts';
import { SHARED } from './instances.ts';
import { enterprise, type Options, type PartialSpec } from './situation.ts';

/** All that a licence can be. */
export const licenses: fc.Arbitrary<LicenseState> = fc.oneof(
  fc.constant(NO_LICENSE),
  fc
    .tuple(fc.integer({ min: 1, max: 5000 }), fc.constantFrom('valid', 'grace', 'expired'))
    .map(([conns, state]) => enterprise(conns, state)),
);
/** What the Secret of the licence may hold. */
export const licenseFiles = fc.record(
  { token: fc.base64String(), removedAt: fc.constant('2026-11-21T12:00:00.000Z') },
  { requiredKeys: [] },
);
const workers = fc.oneof(fc.constant('auto' as const), fc.integer({ min: 1, max: 32 }));
/** Specs that differ in what decides which objects there are. */
export const specs: fc.Arbitrary<PartialSpec> = fc
  .record({
    docbuilder: fc.record(
      {
        workers,
        workerMemoryMb: fc.integer({ min: 512, max: 65_536 }),
        replicas: fc.integer({ min: 1, max: 32 }),
        autoscaling: fc.constant({ minReplicas: 2 }),
      },
      { requiredKeys: [] },
    ),
    ingress: fc.constantFrom(
      {},
      { gating: 'Front' },
      { gating: 'None' },
      { gating: 'Front', kind: 'HTTPRoute', gateway: { name: 'public' } },
    ),
    tls: fc.constantFrom({}, { secretName: 'office-tls' }, { mode: 'Disabled' }),
    devMode: fc.boolean(),
    storage: fc.constantFrom({}, SHARED),
    front: fc.record({ replicas: fc.integer({ min: 1, max: 32 }) }, { requiredKeys: [] }),
  })
  .map((spec) => ({ host: 'office.example', ...spec }));
const given = fc.record(
  {
    values: fc.dictionary(
      fc.constantFrom('docbuilder-jwt-secret', 'embed-jwt-secret-previous', 'embed-link-secret'),
      fc.string(),
    ),
    allowUnsigned: fc.boolean(),
  },
  { requiredKeys: [] },
);
/** Any situation of an instance `office`. */
export const situations: fc.Arbitrary<Options> = fc.record(
  { spec: specs, license: licenses, licenseFiles, given },
  { requiredKeys: ['spec'] },
);
