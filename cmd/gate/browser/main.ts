import { createEditor } from './editor.ts';

// Known only while the script itself runs.
const { currentScript } = document;
const scriptUrl = currentScript instanceof HTMLScriptElement && currentScript.src ? currentScript.src : undefined;

window.SVC = {
  // A function that returns an object is called with and without `new` alike.
  Editor: function Editor(target: string | HTMLElement, config: SVC.Config) {
    return createEditor(target, config, scriptUrl);
  } as unknown as typeof SVC.Editor,
};
