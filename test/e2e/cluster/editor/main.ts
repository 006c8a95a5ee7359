/** The stand-in editor as the process of a container, with the settings of the editor's own image. */
import { startEditor } from '../../../../examples/editor/editor.ts';
import { editorOptions } from './parameters.ts';

// Process 1 gets no signal without a handler, also while it starts.
const started = Promise.withResolvers<Awaited<ReturnType<typeof startEditor>>>();
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    void started.promise.then((editor) => editor.stop()).then(() => process.exit(0));
  });
}
const editor = await startEditor(editorOptions(process.env, process.argv.slice(2)));
started.resolve(editor);
process.stdout.write(`STAND-IN editor, for tests only, on ${editor.url}\n`);
