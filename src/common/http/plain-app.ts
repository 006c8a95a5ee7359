import express, { type Express } from 'express';

/** An express application with nothing of its own ideas. */
export function plainApp(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.set('query parser', 'simple');
  return app;
}
