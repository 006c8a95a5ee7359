/** Does something the first time it is asked for, with what it is given then; afterwards gives the same promise. */
export function once<Argument, Result>(
  action: (argument: Argument) => Promise<Result>,
): (argument: Argument) => Promise<Result> {
  let result: Promise<Result> | undefined;
  return (argument) => {
    result ??= action(argument);
    return result;
  };
}
