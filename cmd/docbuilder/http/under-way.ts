import type { RequestHandler } from 'express';

/** Counts the work requests that this process itself answers, while they last. */
export class UnderWay {
  #count = 0;

  count(): number {
    return this.#count;
  }

  readonly handler: RequestHandler = (_request, response, next) => {
    this.#count += 1;
    response.once('close', () => {
      this.#count -= 1;
    });
    next();
  };
}
