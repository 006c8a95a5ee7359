import { EmbeddedEditor } from './editor.ts';

// Known only while the script itself runs.
const { currentScript } = document;
const scriptUrl = currentScript instanceof HTMLScriptElement && currentScript.src ? currentScript.src : undefined;

window.SVC = {
  // A function that returns an object is called with and without `new` alike.
  Editor: function Editor(target: string | HTMLElement, config: SVC.Config) {
    const editor = new EmbeddedEditor(target, config, scriptUrl);
    return {
      save: () => editor.save(),
      close: () => editor.close('method'),
      destroy: () => editor.destroy(),
      setReadOnly: (on) => editor.setReadOnly(on),
      getInfo: () => editor.getInfo(),
    } satisfies SVC.Editor;
  } as unknown as typeof SVC.Editor,
};
