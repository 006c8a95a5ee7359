import type { AddressInfo } from 'node:net';
import { createAudit } from '../../src/common/audit.ts';
import { type Clock, systemClock } from '../../src/common/clock.ts';
import type { ListenAddress } from '../../src/common/config.ts';
import { signHs256 } from '../../src/common/crypto/jwt.ts';
import { MB } from '../../src/common/errors.ts';
import { drain, listen } from '../../src/common/http/server.ts';
import { watchLicense } from '../../src/common/license-file.ts';
import type { Logger } from '../../src/common/log.ts';
import { createOutbound, type Lookup } from '../../src/common/net/outbound.ts';
import type { Config } from './config.ts';
import { createAsk } from './domain/ask.ts';
import { BlobKeeper } from './domain/blob-keeper.ts';
import { createCleaning } from './domain/cleaning.ts';
import { createClosing } from './domain/closing.ts';
import { createConfigCheck } from './domain/config-check.ts';
import { createCounting } from './domain/counting.ts';
import { createDemoInbox } from './domain/demo-inbox.ts';
import { createDocuments } from './domain/documents.ts';
import { createDownloads } from './domain/downloads.ts';
import { createEditorCalls } from './domain/editor-calls.ts';
import { connectionLimit, gateLimits } from './domain/limits.ts';
import { createLinks } from './domain/links.ts';
import { createLoads } from './domain/loads.ts';
import type { DocumentRecord } from './domain/model.ts';
import { createOutbox } from './domain/outbox.ts';
import { createPresence } from './domain/presence.ts';
import { Saves } from './domain/saves.ts';
import { createSessions } from './domain/sessions.ts';
import { createStatus } from './domain/status.ts';
import { createStoredVersions, createUnsaved } from './domain/unsaved.ts';
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
/** When the gate stops: how long requests of the public side may take to end, a slow download among them. */
const PUBLIC_DRAIN_MS = 8_000;
/** After that: how long saves may. Both together stay within the grace period that a deployment gives. */
const SAVES_DRAIN_MS = 25_000;

/** What a test may put in the place of the real thing. */
export interface Overrides {
  clock?: Clock;
  /** Name resolution of outbound requests. */
  lookup?: Lookup;
  sampleIntervalMs?: number;
  callbackSchedule?: readonly number[];
}

export interface Gate {
  /** Where it listens. */
  publicAddress: AddressInfo;
  internalAddress: AddressInfo;
  /** Takes no new requests, of the editor last; finishes those that run, saves above all; then releases everything. */
  stop(): Promise<void>;
}

/** Puts the gate together and starts it: the one place that knows which concrete part plays which role. */
export async function startGate(config: Config, log: Logger, overrides: Overrides = {}): Promise<Gate> {
  const clock = overrides.clock ?? systemClock;
  const { embed } = config;
  const maxBytes = embed.maxFileMb * MB;
  const audit = createAudit('gate', config.auditTarget, log);
  const license = await watchLicense({
    tokenPath: config.licenseFile,
    keysPath: config.licenseKeysFile,
    ...{ clock, log, audit },
  });
  const { rows, blobs, unsavedFiles, incoming, linkSecret, temporary } = await openDataDir(config.dataDir);
  const keeper = new BlobKeeper({ rows, blobs });
  const outbound = createOutbound({
    allow: config.allow,
    deny: config.deny,
    userAgent: USER_AGENT,
    lookup: overrides.lookup,
    proxy: config.proxy,
  });
  const downloader = createDownloader({ outbound, temporary });
  const readWopiSrc = createWopiSrcReader(config.wopiUrl);
  const links = createLinks({ secret: embed.linkSecret || linkSecret, hours: embed.retainHours, clock });
  const link = ({ baseUrl, docId }: DocumentRecord, version: number) => links.sign(baseUrl, docId, version);

  const counting = createCounting({ limit: () => connectionLimit(license.current(), config.connectionCap), clock });
  const editor = createEditorServer({
    ...config.editor,
    readWopiSrc,
    isUrgent: () => counting.isFreeing() || saves.needsSample(),
    baseUrl: config.baseUrl,
    clock,
    log,
    sampleIntervalMs: overrides.sampleIntervalMs,
  });
  const presence = createPresence({
    findSessions: (ids) => rows.transact((tx) => ids.flatMap((id) => tx.session(id) ?? [])),
    onMatched: (sample) => {
      counting.sampled(sample);
      closing.observe(sample).catch((error) => log.error({ err: error }, 'a sample could not be written down'));
    },
    log,
  });
  const outbox = createOutbox({
    rows,
    poster: createCallbackPoster({ outbound, secret: embed.callbackSecret, clock, log }),
    ...{ links, presence },
    clock,
    log,
    audit,
    schedule: overrides.callbackSchedule,
  });
  const onDelivery = outbox.wake;
  const recent = createStoredVersions(clock);
  const loads = createLoads(clock);
  const saves = new Saves({
    ...{ rows, blobs, incoming, keeper, presence, link, onDelivery, maxBytes, clock, log, audit },
    onStored: recent.add,
  });
  const saving = (docId: string) => saves.isSaving(docId);
  const closing = createClosing({ rows, saving, link, onDelivery, clock, log, audit });
  const unsaved = await createUnsaved({
    ...{ rows, incoming, saves, presence, loads, recent, clock, log },
    files: unsavedFiles,
  });
  const cleaning = createCleaning({
    ...{ rows, keeper, saving, clock, log },
    hasUnsaved: unsaved.has,
    sample: editor.sample,
    retainHours: embed.retainHours,
  });
  const documents = createDocuments({ rows, blobs, incoming, keeper, downloader, maxBytes, clock, audit });
  const sessions = createSessions({
    ...{ rows, documents, downloader, editor, presence, links, loads, clock, audit },
    admission: counting,
    wopiUrl: config.wopiUrl,
    ttlMinutes: embed.sessionTtlMinutes,
  });

  const browser = await loadBrowserFiles();
  const [demoSecret] = embed.jwtSecrets;
  const publicApp = createPublicApp({
    ...{ audit, log, sessions },
    enabled: embed.enabled,
    allowedOrigins: embed.allowedOrigins,
    checkConfig: createConfigCheck({ ...embed, clock }),
    downloads: createDownloads({ links, keeper }),
    baseUrl: config.baseUrl,
    status: createStatus({
      ...{ rows, editor, unsaved, clock },
      figures: counting.figures,
      license: license.current,
      callbackSigning: embed.callbackSecret !== '',
    }),
    limits: () => gateLimits(license.current(), config),
    browser,
    demo: {
      devMode: config.devMode,
      files: browser,
      inbox: createDemoInbox(embed.callbackSecret, clock),
      selfUrl: selfUrl(config.listen),
      sign:
        demoSecret === undefined
          ? undefined
          : (payload, expiresAt) => signHs256({ ...payload, exp: Math.floor(expiresAt / 1000) }, demoSecret),
      clock,
    },
  });
  const editorCalls = createEditorCalls({ wopiUrl: config.wopiUrl, log });
  const ask = createAsk({
    ...{ counting, readWopiSrc, clock, log, audit },
    onOpened: editorCalls.opened,
    openSessions: rows.openSessions,
    foreignHosts: config.embed.foreignHosts,
  });
  const internalApp = createInternalApp({
    ask,
    ...{ keeper, saves, maxBytes, log },
    ...{ unsaved, readWopiSrc },
    admin: { user: config.editor.adminUser, password: config.editor.adminPassword },
    onCalled: editorCalls.called,
    onLoaded: loads.add,
    access: createWopiAccess({ rows, clock, log }),
  });

  if (config.baseUrl === undefined && !config.devMode) {
    log.warn(
      'SVC_BASE_URL is not set: the links in callbacks have the Host that was sent by whoever opened the document',
    );
  }
  editor.onSample((sample) => {
    saves.observe(sample);
    void presence.sampled(sample);
  });
  // First: whoever gets a session opens it at once.
  const internalServer = await listen(internalApp, config.internalListen);
  const publicServer = await listen(publicApp, config.listen);
  cleaning.start();
  outbox.wake();
  const publicAddress = publicServer.address() as AddressInfo;
  const internalAddress = internalServer.address() as AddressInfo;
  log.info({ port: publicAddress.port, internal_port: internalAddress.port }, 'ready');
  audit.record('service.started');

  return {
    publicAddress,
    internalAddress,
    async stop() {
      documents.stop();
      // First those who can try elsewhere or later; as long as that takes, the editor can save.
      await drain(publicServer, PUBLIC_DRAIN_MS);
      await drain(internalServer, SAVES_DRAIN_MS, saves.waitUntilQuiet());
      editor.stop();
      editorCalls.stop();
      cleaning.stop();
      await outbox.stop();
      license.stop();
      await rows.close();
      audit.record('service.stopped');
      await audit.close();
      log.info('stopped');
    },
  };
}

/** Where the gate reaches itself: the demo's document and receiver are its own. */
function selfUrl({ host, port }: ListenAddress): string {
  const loopback = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${loopback.includes(':') ? `[${loopback}]` : loopback}:${port}`;
}
