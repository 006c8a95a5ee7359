import { expect } from 'chai';
import { RateLimiter, type Rates } from '../../../cmd/docbuilder/http/rate-limit.ts';
import type { AppError } from '../../../src/common/errors.ts';

function limiter(rates: Rates, start: string) {
  const state = { now: Date.parse(start), rates };
  return {
    state,
    limiter: new RateLimiter(
      () => state.rates,
      () => state.now,
    ),
  };
}

function refusal(action: () => unknown): AppError {
  try {
    action();
  } catch (error) {
    return error as AppError;
  }
  throw new Error('was not refused');
}

describe('rate limits', () => {
  it('count in UTC clock minutes, and say when the next begins', () => {
    const { state, limiter: rates } = limiter({ minute: 2, day: 200 }, '2026-11-21T08:00:40Z');
    rates.take();
    rates.take();
    const error = refusal(() => rates.take());
    expect(error.code).to.equal('rate_limited');
    expect(error.detail).to.deep.equal({ window: 'minute' });
    expect(error.retryAfter).to.equal(20);
    expect(rates.usage().minute).to.deep.equal({
      limit: 2,
      used: 2,
      remaining: 0,
      resetAt: Date.parse('2026-11-21T08:01:00Z'),
    });
    state.now = Date.parse('2026-11-21T08:01:00Z');
    rates.take();
    expect(rates.usage().minute.used).to.equal(1);
  });

  it('begin a new day at 00:00 in Vietnam, 17:00 UTC', () => {
    const { state, limiter: rates } = limiter({ minute: 10, day: 1 }, '2026-11-21T16:59:59.999Z');
    rates.take();
    const error = refusal(() => rates.take());
    expect(error.detail).to.deep.equal({ window: 'day' });
    expect(rates.usage().day.resetAt).to.equal(Date.parse('2026-11-21T17:00:00Z'));
    state.now += 1;
    rates.take();
    expect(rates.usage().day.resetAt).to.equal(Date.parse('2026-11-22T17:00:00Z'));
  });

  it('do not count what they refuse', () => {
    const { state, limiter: rates } = limiter({ minute: 1, day: 2 }, '2026-11-21T08:00:00Z');
    rates.take();
    for (let i = 0; i < 5; i += 1) refusal(() => rates.take());
    state.now += 60_000;
    rates.take();
    expect(rates.usage().day.used).to.equal(2);
  });

  it('take a refused request back once, in the window that counted it', () => {
    const { state, limiter: rates } = limiter({ minute: 5, day: 10 }, '2026-11-21T08:00:59Z');
    const reservation = rates.take();
    rates.take();
    state.now += 1_000;
    rates.take();
    reservation.refund();
    reservation.refund();
    expect(rates.usage().minute.used).to.equal(1);
    expect(rates.usage().day.used).to.equal(2);
  });

  it('know no daily limit in Enterprise, and follow a licence that changes', () => {
    const { state, limiter: rates } = limiter({ minute: 1, day: 1 }, '2026-11-21T08:00:00Z');
    rates.take();
    refusal(() => rates.take());
    state.rates = { minute: 60, day: null };
    rates.take();
    expect(rates.usage().day).to.include({ limit: null, remaining: null, used: 2 });
    state.rates = { minute: 1, day: 1 };
    expect(rates.usage().day.remaining).to.equal(0);
  });
});
