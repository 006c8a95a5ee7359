/** Does something the first time it is asked for, with what it is given then; afterwards gives the same promise. */
export function once<Arguments extends unknown[], Result>(
  action: (...args: Arguments) => Promise<Result>,
): (...args: Arguments) => Promise<Result> {
  let result: Promise<Result> | undefined;
  return (...args) => {
    result ??= action(...args);
    return result;
  };
}
