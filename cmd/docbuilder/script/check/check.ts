import { AppError, type Mistake } from '../../../../src/common/errors.ts';
import type { Script } from '../../../../src/common/generated/script.ts';
import { validator } from '../../../../src/common/schema.ts';
import type { EffectivePlan } from '../../jobs/limits.ts';
import { runTimeMistakes } from './checks.ts';
import { scriptUnits } from './units.ts';

const MAX_MISTAKES = 100;

const matches = validator<Script>('script.json');

/**
 * A script that the plan allows and that can be built, pictures apart (contract: svcscript).
 * @throws {AppError} `script_invalid`, `forbidden_feature`, `script_too_large`, `script_error`
 */
export function checkScript(value: unknown, { edition, limits }: EffectivePlan): Script {
  const checked = matches(value);
  if (!checked.ok) throw new AppError('script_invalid', { errors: checked.mistakes });
  const script = checked.value;
  if (script.save.length > limits.max_outputs_per_build) {
    const limit = limits.max_outputs_per_build;
    throw new AppError('forbidden_feature', { feature: 'multiple_outputs', edition, limit });
  }
  const units = scriptUnits(script);
  if (units > limits.max_script_units) {
    throw new AppError('script_too_large', { units, limit: limits.max_script_units });
  }
  const mistakes = runTimeMistakes(script).take(MAX_MISTAKES).toArray();
  if (mistakes[0]) throw scriptError(mistakes[0], mistakes);
  return script;
}

/** `script_error` at one place; `errors` has the others, where several were found. */
export function scriptError(mistake: Mistake, errors: readonly Mistake[] = [mistake], cause?: unknown): AppError {
  return new AppError('script_error', { ...mistake, errors }, { cause });
}
