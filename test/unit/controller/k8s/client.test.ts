import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  collectionPath,
  findResource,
  type KubernetesObject,
  objectPath,
  RESOURCES,
} from '../../../../cmd/controller/k8s/api.ts';
import { ApiError } from '../../../../cmd/controller/k8s/api-error.ts';
import { ApiClient, type WatchOptions } from '../../../../cmd/controller/k8s/client.ts';
import { failure } from '../../../support/failure.ts';
import { until } from '../../../support/until.ts';
import { json, kubeConfigFor, refuse, TOKEN, useStandIn } from './stand-in.ts';

const PATH = '/api/v1/namespaces/one/configmaps';
const MAP: KubernetesObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'one' } };

describe('k8s: client', () => {
  const at = useStandIn(1_000);

  const watch = (signal = AbortSignal.timeout(5_000), more: Partial<WatchOptions> = {}, from = at.client) => {
    const options = { namespace: 'one', resourceVersion: '1', signal, ...more };
    return { ended: from.watch(RESOURCES.configMap, options, () => undefined) };
  };

  /** The request that comes next, answered with a list. */
  function recorded(): Pick<IncomingMessage, 'method' | 'url' | 'headers'> {
    const asked: Pick<IncomingMessage, 'method' | 'url' | 'headers'> = { headers: {} };
    at.server.fault = ({ method, url, headers }, response) => {
      Object.assign(asked, { method, url, headers });
      return json(response, { kind: 'List', metadata: { resourceVersion: '1' }, items: [] });
    };
    return asked;
  }

  /** Answers everything in one way. */
  function answer(by: (response: ServerResponse, request: IncomingMessage) => unknown): void {
    at.server.fault = (request, response) => {
      by(response, request);
      return true;
    };
  }

  it('removes the object of that uid alone, and takes one that is gone for removed', async () => {
    const { uid = '' } = at.server.put(PATH, 'a').metadata;
    await at.client.remove(RESOURCES.configMap, 'one', 'a', 'another');
    expect(at.server.objects(PATH)).to.have.lengthOf(1);
    await at.client.remove(RESOURCES.configMap, 'one', 'a', uid);
    await at.client.remove(RESOURCES.configMap, 'one', 'a', uid);
    expect(at.server.objects(PATH)).to.deep.equal([]);
  });

  it('asks for metadata alone in a form that lets no content travel', async () => {
    const asked = recorded();
    const form = (kind: string) => `application/json;as=${kind};v=v1;g=meta.k8s.io`;
    await at.client.list(RESOURCES.secret, { metadataOnly: true });
    expect(asked.headers.accept).to.equal(form('PartialObjectMetadataList'));
    await watch(AbortSignal.timeout(1_000), { metadataOnly: true }).ended;
    expect(asked.headers.accept).to.equal(form('PartialObjectMetadata'));
  });

  it("tells the time of a list by the server's clock, and by its own where the answer has none", async () => {
    for (const [date, expected] of [
      ['Sat, 21 Nov 2026 12:00:00 GMT', Date.parse('2026-11-21T12:00:00Z')],
      ['', Date.now()],
    ] as const) {
      at.server.fault = (_, response) => {
        response.setHeader('date', date);
        return json(response, { kind: 'List', metadata: { resourceVersion: '1' }, items: [] });
      };
      const { time } = await at.client.list(RESOURCES.configMap, { namespace: 'one' });
      expect(time).to.be.closeTo(expected, 60_000);
    }
  });

  it('applies by server-side apply, forced, under the manager named', async () => {
    const asked = recorded();
    await at.client.apply(RESOURCES.configMap, MAP, { manager: 'me', subresource: 'status' });
    expect(asked).to.include({ method: 'PATCH', url: `${PATH}/a/status?fieldManager=me&force=true` });
    expect(asked.headers['content-type']).to.equal('application/apply-patch+yaml');
    expect(asked.headers['user-agent']).to.match(/^svc-controller\//);
    await at.client.apply(RESOURCES.configMap, MAP, { manager: 'me', dryRun: true });
    expect(asked.url).to.contain('dryRun=All');
  });

  it('gives the status, the reason, the message and the time to come again of a refusal', async () => {
    answer((response) => refuse(response, 429, 'TooManyRequests', { 'retry-after': '7' }));
    const error = await failure(at.client.create(RESOURCES.configMap, MAP));
    expect(error).to.be.instanceOf(ApiError);
    expect(error).to.include({ status: 429, reason: 'TooManyRequests', retryAfter: 7 });
    expect(error?.message).to.equal(`POST ${PATH}: 429 TooManyRequests said TooManyRequests`);
    const text = "denied:\n  - no latest tag\n@@ ['spec'] @@\n- 1";
    answer((response) => response.writeHead(422).end(JSON.stringify({ kind: 'Status', message: text })));
    expect((await failure(at.client.create(RESOURCES.configMap, MAP)))?.message).to.match(
      /: 422 denied: - no latest tag$/,
    );
  });

  it('takes an object for absent only when the API server says so, since secrets that are gone are made anew', async () => {
    answer((response) => response.writeHead(404).end('404 page not found'));
    expect(await failure(at.client.get(RESOURCES.secret, 'one', 'a'))).to.include({ status: 404, reason: '' });
    answer((response) => refuse(response, 404, 'NotFound'));
    expect(await at.client.get(RESOURCES.secret, 'one', 'a')).to.equal(undefined);
  });

  for (const text of ['<html>welcome</html>', '', '{"kind":', '{"items":[]}', '{"metadata":{},"items":[]}']) {
    it(`takes ${JSON.stringify(text)} with a 200 for no list, since an empty one means that everything is gone`, async () => {
      answer((response) => response.writeHead(200).end(text));
      expect(await failure(at.client.list(RESOURCES.configMap, {}))).to.include({ code: 'ERR_NO_JSON' });
    });
  }

  it('gives a request up when the answer, or its end, does not come in time', async () => {
    answer(() => undefined);
    expect(await failure(at.client.get(RESOURCES.configMap, 'one', 'a'))).to.include({ code: 'ETIMEDOUT' });
    answer((response) => response.writeHead(200).write('{"kind":'));
    expect(await failure(at.client.get(RESOURCES.configMap, 'one', 'a'))).to.include({ code: 'ETIMEDOUT' });
  });

  it('uses the same connections for one request after the other, and another one after a request that was lost', async () => {
    for (let count = 0; count < 10; count += 1) await at.client.get(RESOURCES.configMap, 'one', 'a');
    expect(at.server.connections()).to.be.at.most(2);
    const dead = new Set<unknown>();
    at.server.fault = ({ socket }) => dead.size === 0 && Boolean(dead.add(socket));
    expect(await failure(at.client.ready())).to.include({ code: 'ETIMEDOUT' });
    at.server.fault = ({ socket }) => dead.has(socket);
    await at.client.ready();
  });

  it('rejects what runs when it is closed, and has other connections for what comes', async () => {
    answer(() => undefined);
    const waiting = failure(at.client.ready());
    await until('it is sent', () => at.server.requests.length === 1 || undefined);
    at.client.close();
    expect((await waiting)?.name).to.equal('UnreachableError');
    at.server.fault = undefined;
    await at.client.ready();
  });

  it('ends a watch with an error when it breaks, is refused or a handler throws, without one when the server ends it', async () => {
    const open = async () => {
      const { ended } = watch();
      await until('it is open', () => at.server.watches() === 1 || undefined);
      return [ended] as const;
    };
    const [first] = await open();
    at.server.endWatches();
    await first;
    const [broken] = await open();
    at.server.cut();
    expect((await failure(broken))?.name).to.equal('UnreachableError');
    at.server.compact();
    expect(await failure(watch().ended)).to.include({ status: 410 });
    const options = { resourceVersion: '200', namespace: 'one', signal: AbortSignal.timeout(5_000) };
    const throwing = at.client.watch(RESOURCES.configMap, options, () => {
      throw new Error('handler');
    });
    await until('it is open', () => at.server.watches() === 1 || undefined);
    at.server.put(PATH, 'b');
    expect((await failure(throwing))?.message).to.equal('handler');
  });

  it('attack: no error holds the token, whatever goes wrong', async () => {
    const errors: (Error | undefined)[] = [];
    for (const fault of [
      (response: ServerResponse) => response.socket?.resetAndDestroy(),
      (response: ServerResponse) => refuse(response, 500, 'InternalError'),
      () => undefined,
    ]) {
      answer(fault);
      errors.push(await failure(at.client.create(RESOURCES.configMap, MAP)));
      errors.push(await failure(watch(AbortSignal.timeout(300)).ended));
    }
    const newline = new ApiClient(kubeConfigFor(at.server.url, `${TOKEN}\nx`));
    errors.push(await failure(newline.ready()), await failure(watch(AbortSignal.timeout(1_000), {}, newline).ended));
    await at.server.close();
    errors.push(await failure(at.client.ready()));
    for (const error of errors) {
      expect(error).to.be.instanceOf(Error);
      expect(JSON.stringify({ ...error, message: error?.message, stack: error?.stack })).not.to.contain(TOKEN);
    }
    expect(errors.at(-1)).to.include({ name: 'UnreachableError', code: 'ECONNREFUSED' });
  });
});

describe('k8s: paths', () => {
  it('are those of the core group and of named groups, of one namespace and of all', () => {
    expect(collectionPath(RESOURCES.deployment)).to.equal('/apis/apps/v1/deployments');
    expect(objectPath(RESOURCES.svcInstance, 'one', 'office', 'status')).to.equal(
      '/apis/svc.internal/v1/namespaces/one/svcinstances/office/status',
    );
    for (const resource of Object.values(RESOURCES)) expect(findResource(resource)).to.equal(resource);
    expect(() => findResource({ apiVersion: 'v1', kind: 'Node' })).to.throw(TypeError, 'v1 Node');
  });

  it('attack: no name leads to another object or to a whole collection', () => {
    const prefix = '/api/v1/namespaces/one/secrets/';
    const names = fc.string({ minLength: 1, unit: 'grapheme' }).filter((name) => name !== '.' && name !== '..');
    fc.assert(
      fc.property(names, (name) => {
        const path = objectPath(RESOURCES.secret, 'one', name);
        expect(path.startsWith(prefix)).to.equal(true);
        expect(path.slice(prefix.length)).to.not.match(/[/?#]/);
      }),
    );
    for (const [namespace, name] of [
      ['one', ''],
      ['one', '.'],
      ['one', '..'],
      ['.', 'a'],
      ['..', 'a'],
      [undefined, 'a'],
    ] as const) {
      expect(() => objectPath(RESOURCES.secret, namespace, name)).to.throw(TypeError);
    }
  });
});
