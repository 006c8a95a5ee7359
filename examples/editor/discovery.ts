/** Changes with the version of the real one, so clients must take it from discovery. */
export const HASH = 'standin1';
export const VERSION = '25.04.9.4';

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const OPEN = 'application/vnd.oasis.opendocument';
const APPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  writer: {
    docx: `${OFFICE}.wordprocessingml.document`,
    doc: 'application/msword',
    odt: `${OPEN}.text`,
    rtf: 'application/rtf',
    txt: 'text/plain',
  },
  calc: {
    xlsx: `${OFFICE}.spreadsheetml.sheet`,
    xls: 'application/vnd.ms-excel',
    ods: `${OPEN}.spreadsheet`,
    csv: 'text/csv',
  },
  impress: {
    pptx: `${OFFICE}.presentationml.presentation`,
    ppt: 'application/vnd.ms-powerpoint',
    odp: `${OPEN}.presentation`,
  },
};

/** GET /hosting/discovery (contract: Editor server). @param base origin of the URLs in it */
export function discovery(base: string): string {
  const urlsrc = escapeAttribute(`${base}/browser/${HASH}/cool.html?`);
  const actions = (ext: string): string =>
    `<action default="true" ext="${ext}" name="edit" urlsrc="${urlsrc}"/><action ext="${ext}" name="view" urlsrc="${urlsrc}"/>`;
  const apps = Object.entries(APPS).map(([name, types]) => {
    const icon = escapeAttribute(`${base}/browser/${HASH}/icon.svg`);
    return `<app favIconUrl="${icon}" name="${name}">${Object.keys(types).map(actions).join('')}</app>`;
  });
  const types = Object.values(APPS).flatMap((app) => Object.values(app));
  const groups = types.map((type) => `<app name="${type}">${actions('')}</app>`);
  const capabilities = `<app name="Capabilities"><action ext="" name="getinfo" urlsrc="${escapeAttribute(`${base}/hosting/capabilities`)}"/></app>`;
  return `<?xml version="1.0" encoding="utf-8"?>
<wopi-discovery><net-zone name="external-http">
${[...apps, ...groups, capabilities].join('\n')}
</net-zone></wopi-discovery>
`;
}

/** GET /hosting/capabilities. @param convertTo whether conversion is offered, as it is to loopback callers */
export function capabilities(serverId: string) {
  return {
    'convert-to': { available: true, endpoint: '/cool/convert-to' },
    hasMobileSupport: true,
    hasProxyPrefix: false,
    hasSettingIframeSupport: true,
    hasTemplateSaveAs: false,
    hasTemplateSource: true,
    hasWopiAccessCheck: true,
    hasWASMSupport: false,
    hasDocumentSigningSupport: false,
    hasZoteroSupport: false,
    productName: 'Stand-in editor (trình soạn thảo thay thế)',
    productVersion: VERSION,
    productVersionHash: HASH,
    serverId,
  };
}

export function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
