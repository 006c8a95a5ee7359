import { ConfigError, type Environment } from '../../src/common/config.ts';

/** Returns what a service finds wrong with an environment, by variable; empty if it accepts it. */
export function configMistakes(
  load: (environment: Environment) => unknown,
  environment: Environment,
): Record<string, string> {
  try {
    load(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return Object.fromEntries(error.mistakes.map(({ path, message }) => [path, message]));
  }
  return {};
}
