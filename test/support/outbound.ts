import { expect } from 'chai';
import { AppError, type ErrorCode } from '../../src/common/errors.ts';
import { parseAllowList } from '../../src/common/net/allow-list.ts';
import { createOutbound, type Lookup, type Outbound } from '../../src/common/net/outbound.ts';
import { parseDenyList } from '../../src/common/net/outbound-settings.ts';

/** Stands in every secret place of a test's URLs; no error may contain it. */
export const SECRET = 's3cr3t';

/** A door with an allow list and a deny list; `names` plays DNS: the answers of each call in turn, the last one for ever. */
export function openDoor(
  allow = '',
  names: Record<string, string[][]> = {},
  deny = '',
  proxy?: URL,
): { door: Outbound; asked: string[] } {
  const { list, mistakes } = parseAllowList(allow);
  const denied = parseDenyList(deny);
  expect([...mistakes, ...denied.mistakes]).to.deep.equal([]);
  const asked: string[] = [];
  const lookup: Lookup = async (name) => {
    const answers = names[name];
    const answer = answers?.[Math.min(asked.filter((other) => other === name).length, answers.length - 1)];
    asked.push(name);
    if (!answer) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
    return answer.map((address) => ({ address }));
  };
  return { door: createOutbound({ allow: list, deny: denied.list, lookup, proxy, userAgent: 'SVC-Test/1.0' }), asked };
}

/** The detail of the AppError that `work` must end in. Neither it nor what the log gets may give anything away. */
export async function refusal(work: Promise<unknown>, code: ErrorCode): Promise<Record<string, unknown>> {
  const error: unknown = await work.then(
    (value) => expect.fail(`not refused: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw error;
  const cause = error.cause as Error | undefined;
  const said = JSON.stringify([error.detail, error.message, error.stack, cause?.message, cause?.stack, cause?.cause]);
  expect(said).not.to.match(new RegExp(`${SECRET}|127\\.0\\.0|0:0:1|::1`));
  expect(error.code).to.equal(code);
  return error.detail;
}
