export interface DemoPage {
  lang: 'vi' | 'en';
  /** The nonce of the Content-Security-Policy. */
  nonce: string;
  /** JavaScript of the page. */
  script: string;
  /** The settings that the script reads. */
  settings: object;
}

const TEXTS = {
  vi: {
    title: 'Trang dùng thử SVC',
    save: 'Lưu',
    readOnly: 'Chỉ đọc',
    edit: 'Chỉnh sửa',
    close: 'Đóng',
    another: 'Mở bằng người dùng khác',
    fresh: 'Tài liệu mới',
    other: 'English',
    people: 'Người đang mở tài liệu',
    places: 'Kết nối chỉnh sửa',
    events: 'Sự kiện của trình soạn thảo',
    callbacks: 'Callback đã nhận',
    editor: 'Trình soạn thảo',
    noScript: 'Trang này cần JavaScript.',
  },
  en: {
    title: 'SVC demo',
    save: 'Save',
    readOnly: 'Read only',
    edit: 'Edit',
    close: 'Close',
    another: 'Open as another user',
    fresh: 'New document',
    other: 'Tiếng Việt',
    people: 'People in the document',
    places: 'Editing connections',
    events: 'Editor events',
    callbacks: 'Callbacks received',
    editor: 'Editor',
    noScript: 'This page needs JavaScript.',
  },
} as const;

const STYLE = `
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template: auto 1fr / 1fr 22rem; height: 100vh; font: 15px/1.4 system-ui, sans-serif; color: #1f2328; }
header { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; padding: .5rem 1rem; border-bottom: 1px solid #d0d7de; }
h1 { font-size: 1.1rem; margin: 0 auto 0 0; }
h2 { font-size: .95rem; margin: 1rem 0 .25rem; }
aside { overflow: auto; padding: 0 1rem 1rem; border-left: 1px solid #d0d7de; }
#notice { grid-column: 1 / -1; flex-basis: 100%; margin: 0; padding: .4rem .6rem; background: #fff8c5; border: 1px solid #d4a72c; }
ol, ul { margin: 0; padding-left: 1.2rem; overflow-wrap: anywhere; }
button, a.button { font: inherit; padding: .25rem .7rem; border: 1px solid #d0d7de; border-radius: 6px; background: #f6f8fa; color: inherit; text-decoration: none; }
.bad { color: #b3261e; } .good { color: #1a7f37; }
@media (max-width: 60rem) { body { grid-template: auto 75vh auto / 1fr; height: auto; } aside { border: 0; } }`;

/** The demo's page. What a visitor supplies enters it only as JSON that cannot end the script element. */
export function demoPage({ lang, nonce, script, settings }: DemoPage): string {
  const texts = TEXTS[lang];
  const other = lang === 'vi' ? 'en' : 'vi';
  return `<!doctype html>
<html lang="${lang}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${texts.title}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}</style>
<header>
<h1>${texts.title}</h1>
<button id="save" disabled>${texts.save}</button>
<button id="mode" data-view="${texts.readOnly}" data-edit="${texts.edit}" disabled>${texts.readOnly}</button>
<button id="close" disabled>${texts.close}</button>
<a class="button" id="another" target="_blank" rel="noopener" href="/svc/demo?lang=${lang}">${texts.another}</a>
<a class="button" id="fresh" href="/svc/demo?lang=${lang}">${texts.fresh}</a>
<a class="button" href="/svc/demo?lang=${other}" lang="${other}">${texts.other}</a>
<p id="notice" role="note" hidden></p>
</header>
<main id="editor"></main>
<aside>
<h2>${texts.editor}</h2><p id="product">…</p>
<h2>${texts.people}</h2><ul id="people"></ul>
<h2>${texts.places}</h2><p id="places">…</p>
<h2>${texts.events}</h2><ol id="events" reversed></ol>
<h2>${texts.callbacks}</h2><ol id="callbacks" reversed></ol>
</aside>
<noscript>${texts.noScript}</noscript>
<script type="application/json" id="settings">${JSON.stringify({ ...settings, lang }).replaceAll('<', '\\u003c')}</script>
<script src="/svc/api.js"></script>
<script nonce="${nonce}">${script.replaceAll('</script', '<\\/script')}</script>
</html>
`;
}
