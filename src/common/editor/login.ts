import type { Dispatcher } from 'undici';
import { basicAuthorization } from '../http/basic-auth.ts';
import { type Answer, fetchText } from './fetch-text.ts';

const PAGE = '/browser/dist/admin/admin.html';
const MAX_BYTES = 1024 * 1024;
const JWT = /[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/;
const IN_COOKIE = new RegExp(`(?:^|[;,\\s])jwt=(${JWT.source})`);
const IN_PAGE = new RegExp(`jwtToken\\s*=\\s*['"](${JWT.source})['"]`);

export class WrongPassword extends Error {}

/**
 * Logs in to the editor's admin console. Its token is in a cookie, in some releases in a header named `Cookie`, and in
 * the page.
 * @throws {WrongPassword}, {Error} when there is no console
 */
export async function logIn(options: {
  url: string;
  user: string;
  password: string;
  agent: Dispatcher;
  signal: AbortSignal;
}): Promise<string> {
  const { url, user, password, agent, signal } = options;
  const authorization = basicAuthorization(user, password);
  const answer = await fetchText(url + PAGE, { agent, maxBytes: MAX_BYTES, headers: { authorization }, signal });
  if (answer.status === 401) throw new WrongPassword(describeRefusal(password));
  if (answer.status !== 200) throw new Error(`the admin console answered ${answer.status}`);
  const token = parseToken(answer);
  if (token === undefined) throw new Error('the admin console gave no token');
  return token;
}

function describeRefusal(password: string): string {
  return password === ''
    ? 'SVC_ONLINE_ADMIN_PASSWORD is not set'
    : 'the editor refuses SVC_ONLINE_ADMIN_USER or SVC_ONLINE_ADMIN_PASSWORD';
}

function parseToken({ headers, text }: Answer): string | undefined {
  const cookies = [headers['set-cookie'], headers.cookie].flat().filter((cookie) => cookie !== undefined);
  for (const cookie of cookies) {
    const [, token] = IN_COOKIE.exec(cookie) ?? [];
    if (token) return token;
  }
  return IN_PAGE.exec(text)?.[1];
}
