import type { RequestHandler } from 'express';
import { badRequest } from '../errors.ts';

/** Parts that no path of this service contains, and about which proxies and frameworks disagree. */
const ODD = /\/\/|\\|;|%2f|%5c|%00|%25|\/\.{1,2}(\/|$)|%2e/i;

/** Refuses request targets and hosts that could be read in two ways, before routing decodes them (RFC 9112 3.2). */
export const refuseOddTargets: RequestHandler = (request, _response, next) => {
  const [path = ''] = request.url.split('?', 1);
  if (!path.startsWith('/') || ODD.test(path))
    throw badRequest({ path: '', message: 'đường dẫn của yêu cầu không ở dạng chuẩn' });
  if (request.headersDistinct['host']?.length !== 1)
    throw badRequest({ path: '', message: 'phải có đúng một tiêu đề Host' });
  next();
};
