import type { AddressInfo } from 'node:net';
import { createAudit } from '../../src/common/audit.ts';
import { type Clock, systemClock } from '../../src/common/clock.ts';
import { signHs256 } from '../../src/common/crypto/jwt.ts';
import { MB } from '../../src/common/errors.ts';
import { drain, listen } from '../../src/common/http/server.ts';
import { watchLicense } from '../../src/common/license-file.ts';
import type { Logger } from '../../src/common/log.ts';
import { createOutbound } from '../../src/common/net/outbound.ts';
import { type Config, selfUrl } from './config.ts';
import { createAsk } from './domain/ask.ts';
import { Cleaning } from './domain/cleaning.ts';
import { Closing } from './domain/closing.ts';
import { createConfigCheck } from './domain/config-check.ts';
import { createDemoInbox } from './domain/demo-inbox.ts';
import { createDocuments } from './domain/documents.ts';
import { createEditorCalls } from './domain/editor-calls.ts';
import { EditorWatch } from './domain/editor-watch.ts';
import { Leadership } from './domain/leadership.ts';
import { connectionLimit, gateLimits } from './domain/limits.ts';
import { createLinks } from './domain/links.ts';
import { Outbox } from './domain/outbox.ts';
import { createLocalPlaces, type Places, SharedPlaces } from './domain/places.ts';
import type { EditorSample } from './domain/ports.ts';
import { createPresence } from './domain/presence.ts';
import { Saves } from './domain/saves.ts';
import { Sessions } from './domain/sessions.ts';
import { createStatus } from './domain/status.ts';
import { UnsavedEdits } from './domain/unsaved.ts';
import { Uploads } from './domain/uploads.ts';
import { createWopiAccess } from './domain/wopi-access.ts';
import { createWopiSrcReader } from './domain/wopi-src.ts';
import { loadBrowserFiles } from './http/api-js.ts';
import { createInternalApp } from './http/internal.ts';
import { createPublicApp } from './http/public.ts';
import { createCallbackPoster } from './outbound/callbacks.ts';
import { createDownloader } from './outbound/downloader.ts';
import { createEditorServer } from './outbound/editor/editor-server.ts';
import { openDataDir } from './store/data-dir.ts';

const USER_AGENT = 'SVC-Gate/1.0';
/** The time that requests of the public side may take to end when the gate stops, a slow download among them. */
const PUBLIC_DRAIN_MS = 8_000;
/** The time that saves may take after that. Both together stay within the grace period that a deployment gives. */
const SAVES_DRAIN_MS = 25_000;
/** The time between looks for callbacks of other gates. */
const CALLBACK_LOOK_MS = 1_000;

/** Parts that a test replaces. */
export interface Overrides {
  clock?: Clock;
  sampleIntervalMs?: number;
}

export interface Gate {
  publicAddress: AddressInfo;
  /** Stops the public side first, then the internal one, which finishes saves; then releases everything. */
  stop(): Promise<void>;
}

/** Creates the parts of the gate and starts it. */
export async function startGate(config: Config, log: Logger, overrides: Overrides = {}): Promise<Gate> {
  const base = await openBase(config, log, overrides);
  const parts = await createParts(base, overrides);
  const { editor, watch, leadership, saves, uploads, documents } = parts;
  const internal = createInternal(base, parts);
  const publicApp = await createPublic(base, parts);
  if (config.baseUrl === undefined && !config.devMode)
    log.warn(
      'SVC_BASE_URL is not set: the links in callbacks have the Host that was sent by whoever opened the document',
    );
  await watch.follow();
  // First: a new session is opened at once.
  const internalServer = await listen(internal, config.internalListen);
  const publicServer = await listen(publicApp, config.listen);
  await leadership.start();
  const publicAddress = publicServer.address() as AddressInfo;
  const { port: internal_port } = internalServer.address() as AddressInfo;
  log.info({ port: publicAddress.port, internal_port }, 'ready');
  base.audit.record('service.started');

  return {
    publicAddress,
    async stop() {
      documents.stop();
      // First those who can try elsewhere or later; as long as that takes, the editor can save.
      await drain(publicServer, PUBLIC_DRAIN_MS);
      await drain(internalServer, SAVES_DRAIN_MS, saves.waitUntilQuiet());
      watch.end();
      await leadership.stop();
      editor.stop();
      parts.editorCalls.stop();
      uploads.stop();
      base.license.stop();
      await base.data.close();
      base.audit.record('service.stopped');
      await base.audit.close();
      log.info('stopped');
    },
  };
}

type Base = Awaited<ReturnType<typeof openBase>>;
type Parts = Awaited<ReturnType<typeof createParts>>;

/** Opens the data folder, the licence, the audit trail and the outbound client. */
async function openBase(config: Config, log: Logger, overrides: Overrides) {
  const clock = overrides.clock ?? systemClock;
  const audit = createAudit('gate', config.auditTarget, log);
  const paths = { tokenPath: config.licenseFile, keysPath: config.licenseKeysFile };
  const license = await watchLicense({ ...paths, clock, log, audit });
  const { databaseUrl, s3, allow, deny, proxy } = config;
  // The client of S3 is large, and loaded only where it is needed.
  const openBlobs = s3 && (async () => (await import('./store/s3-blobs.ts')).createS3Blobs(s3, log));
  const data = await openDataDir(config.dataDir, { databaseUrl, openBlobs, log });
  const outbound = createOutbound({ allow, deny, proxy, userAgent: USER_AGENT });
  const { linkSecret, retainHours: hours } = config.embed;
  return {
    ...{ config, log, clock, audit, license, data, outbound },
    links: createLinks({ secret: linkSecret || data.linkSecret, hours, clock }),
    readWopiSrc: createWopiSrcReader(config.wopiUrl),
    maxBytes: config.embed.maxFileMb * MB,
  };
}

/** Creates the parts that hold state, which observe one another. */
async function createParts(base: Base, overrides: Overrides) {
  const { config, log, clock, audit, data, outbound, links, maxBytes } = base;
  const { rows, blobs, incoming } = data;
  const { retainHours, callbackSecret: secret, sessionTtlMinutes: ttlMinutes } = config.embed;
  const { wopiUrl } = config;
  const uploads = new Uploads({ rows, blobs, incoming, clock, log });
  const isSaving: Saves['isSaving'] = (docId, tx) => saves.isSaving(docId, tx);
  const onDelivery = () => outbox.wake();
  const counted = { limit: () => connectionLimit(base.license.current(), config.connectionCap), clock };
  const places: Places = rows.shared ? new SharedPlaces(rows.shared.places, counted) : createLocalPlaces(counted);
  const presence = createPresence({ rows, log });
  const leads = () => leadership.leads();
  const common = { rows, blobs, uploads, links, presence, places, maxBytes, clock, log, audit, isSaving, onDelivery };

  const editor = createEditorServer({
    ...{ ...config.editor, readWopiSrc: base.readWopiSrc, clock, log },
    isUrgent: async () => saves.unresolved.isSampleNeeded || places.use((counting) => counting.isFreeing()),
    baseUrl: config.baseUrl,
    sampleIntervalMs: overrides.sampleIntervalMs,
  });
  const editorCalls = createEditorCalls({ wopiUrl, log });
  const watch = new EditorWatch({ editor, log, shared: rows.shared?.seen, onSample: takeSample });
  const outbox = new Outbox({
    ...common,
    poster: createCallbackPoster({ outbound, secret, clock, log }),
    leads,
    lookMs: rows.shared && CALLBACK_LOOK_MS,
  });
  const saves = new Saves(common);
  const closing = new Closing({ ...common, leads });
  const unsaved = new UnsavedEdits({ ...common, saves });
  const cleaning = new Cleaning({ ...common, retainHours });
  const leadership = new Leadership({ lease: rows.shared?.lease, log }, [closing, watch, cleaning, outbox]);
  const downloader = createDownloader({ outbound, temporary: data.temporary });
  const documents = createDocuments({ ...common, downloader });
  const sessions = new Sessions({ ...common, documents, downloader, editor, wopiUrl, ttlMinutes });

  /** Takes in a sample of the editor. Only the leader changes rows and places by it. */
  async function takeSample(sample: EditorSample): Promise<void> {
    // Another gate may have been called.
    if (sample.views.some(({ docId }) => docId !== null)) editorCalls.called();
    if (leadership.leads())
      saves.unresolved
        .observe(sample)
        .catch((error) => log.error({ err: error }, 'unresolved saves could not be looked at'));
    const matched = await presence.observe(sample);
    if (!leadership.leads()) return;
    closing.observe(matched);
    await places.observe(matched).catch((error) => log.error({ err: error }, 'a sample could not be counted'));
  }

  return { places, editor, watch, editorCalls, leadership, uploads, saves, unsaved, documents, sessions };
}

async function createPublic(base: Base, { places, watch, unsaved, sessions }: Parts) {
  const { config, log, clock, audit, license, data, links } = base;
  const { embed } = config;
  const browser = await loadBrowserFiles();
  const [demoSecret] = embed.jwtSecrets;
  const sign = (payload: object, expiresAt: number) =>
    signHs256({ ...payload, exp: Math.floor(expiresAt / 1000) }, demoSecret as string);
  return createPublicApp({
    ...{ audit, log, sessions, browser },
    enabled: embed.enabled,
    allowedOrigins: embed.allowedOrigins,
    checkConfig: createConfigCheck({ ...embed, clock }),
    ...{ links, rows: data.rows, blobs: data.blobs },
    baseUrl: config.baseUrl,
    status: createStatus({
      ...{ rows: data.rows, editor: watch, unsaved, clock },
      figures: async () => places.use((counting) => counting.figures()),
      license: license.current,
      callbackSigning: embed.callbackSecret !== '',
    }),
    limits: () => gateLimits(license.current(), config),
    demo: {
      devMode: config.devMode,
      files: browser,
      inbox: createDemoInbox(embed.callbackSecret, clock),
      selfUrl: selfUrl(config.listen),
      sign: demoSecret === undefined ? undefined : sign,
      clock,
    },
  });
}

function createInternal(base: Base, { places, editorCalls, saves, unsaved }: Parts) {
  const { config, log, clock, audit, data, readWopiSrc, maxBytes } = base;
  const { rows, blobs } = data;
  const { editor, embed } = config;
  const ask = createAsk({
    ...{ places, readWopiSrc, clock, log, audit },
    onOpened: editorCalls.opened,
    openSessions: rows.openSessions,
    foreignHosts: embed.foreignHosts,
  });
  return createInternalApp({
    ...{ ask, blobs, saves, maxBytes, log, unsaved, readWopiSrc },
    admin: { user: editor.adminUser, password: editor.adminPassword },
    onCalled: editorCalls.called,
    access: createWopiAccess({ rows, clock, log }),
  });
}
