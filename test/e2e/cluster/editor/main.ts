/** The stand-in editor as the process of a container, told by what the editor's own image is told by. */
import { startEditor } from '../../../editor/editor.ts';
import { editorOptions } from './parameters.ts';

const editor = await startEditor(editorOptions(process.env, process.argv.slice(2)));
process.stdout.write(`STAND-IN editor, for tests only, on ${editor.url}\n`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void editor.stop().then(() => process.exit(0));
  });
}
