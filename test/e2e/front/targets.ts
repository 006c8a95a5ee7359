/** Request targets of the contract's table "Front proxy routing", by what a front must do with them. */

const WOPI_SRC = 'https%3A%2F%2Foffice.example%2Fsvc%2Fwopi%2Ffiles%2Fdoc_0123';
const DOCUMENT = `${WOPI_SRC}%3Faccess_token%3DTOKEN-IN-PATH%26access_token_ttl%3D0`;
const TWICE = encodeURIComponent(DOCUMENT);

/** Targets have no blanks, so that a list of them can be written as text. */
const list = (text: string): string[] => text.trim().split(/\s+/);

export const PAGE = `/browser/0a1b2c3d/cool.html?WOPISrc=${WOPI_SRC}&lang=vi`;

/** Editing sockets: the gate is asked. */
export const SOCKETS = list(`
  /cool/${DOCUMENT}/ws?WOPISrc=${WOPI_SRC}&compat=/ws
  /cool/ws?WOPISrc=${WOPI_SRC}&access_token=TOKEN-IN-QUERY&access_token_ttl=0&permission=edit&compat=
  /cool/${DOCUMENT}/ws /cool/${DOCUMENT}/ws/ /cool/${DOCUMENT}/ws/one/more/7 /cool/${TWICE}/ws?WOPISrc=${WOPI_SRC}
  /cool/ws /cool/ws/ /cool/0x68747470/ws /cool/not%20an%20address/ws //cool//${DOCUMENT}//ws
`);

/** As editors send them: the document's address is one segment, with its slashes as `%2F`. */
export const EDITOR_SOCKETS = [DOCUMENT, TWICE].map((doc) => `/cool/${doc}/ws?WOPISrc=${WOPI_SRC}&compat=/ws`);

/** Sockets that no gate can parse: refused with 403. */
export const UNPARSABLE_SOCKETS = [
  ...list('/cool/ws /cool/0x68747470/ws /cool/not%20an%20address/ws /cool/%FF/ws /cool/not%2Fan%2Faddress/ws'),
  // Two documents: the one in the path is opened, the other one is what a proxy may have looked at.
  `/cool/${DOCUMENT}/ws?WOPISrc=${WOPI_SRC}4567&compat=/ws`,
];

/** A handshake here never gets 101, and the gate need not be asked. */
export const NO_SOCKETS = list(`
  /cool/${DOCUMENT}?ws /cool/${DOCUMENT}?ws&WOPISrc=${WOPI_SRC} /cool/?ws/&WOPISrc=${WOPI_SRC}
  /cool/?ws&WOPISrc=${WOPI_SRC} /cool/${DOCUMENT}/x/../ws /cool/${DOCUMENT}/ws/../download
  /cool/${DOCUMENT}/ws/../../../browser/0a1b2c3d/bundle.js /cool/${DOCUMENT}/ws/../../../hosting/discovery
  /cool/${DOCUMENT}/ws/../../../svc/healthz /hosting/%2e%2e/cool/${DOCUMENT}/ws /hosting/../cool/${DOCUMENT}/ws
  /cool/${DOCUMENT} /cool/${DOCUMENT}/download/1 /cool/${DOCUMENT}/wsx /lool/${DOCUMENT}/ws
  /lool/ws?WOPISrc=${WOPI_SRC} /browser/0a1b2c3d/bundle.js ${PAGE} /hosting/discovery /hosting/capabilities
  /svc/healthz /v1/status /wasm/${DOCUMENT}/ws /co/collab?WOPISrc=x /COOL/${DOCUMENT}/ws /cool%2F${DOCUMENT}/ws /
`);

/** Blocked, in the spellings that an editor takes for the same. */
export const BLOCKED = list(`
  /browser/dist/admin /browser/dist/admin/ /browser/dist/admin/admin.html /browser/dist/adminSettings.html
  /browser/dist//admin/admin.html /browser/dist/%61dmin/admin.html /browser/dist/x/../admin/admin.html
  /browser/dist%2Fadmin%2Fadmin.html /browser/0a1b2c3d/admin/admin.html /browser/0a1b2c3d/admin-bundle.js
  //browser//0a1b2c3d//admin/admin.html /hosting/../browser/dist/admin/admin.html /browser/x#/../dist/admin/admin.html
  /cool/adminws /cool/adminws/ /cool/adminws/x /cool/adminws?x /cool//adminws /cool/adminws// /cool/?adminws
  /cool/%61dminws /cool/./adminws /cool/x/../adminws /cool/adminws/../../hosting/discovery /cool/getMetrics
  /cool/getMetrics/ /cool/getMetricsX /cool/?getMetrics /cool/??getMetrics //cool//?getMetrics /cool/convert-to
  /cool/convert-to/pdf /cool/convert-to?format=pdf /cool/?convert-to /cool/?convert-to/txt /cool/%63onvert-to/pdf
  /lool/convert-to /lool/convert-to/pdf /lool/?convert-to //lool//convert-to/pdf /cool/extract-link-targets
  /cool/extract-document-structure /cool/transform-document-structure /cool/get-thumbnail /cool/render-search-result
  /cool/?extract-link-targets /cool/?extract-document-structure /cool/?transform-document-structure
  /cool/?get-thumbnail /cool/?render-search-result /hosting/wopiAccessCheck /hosting/?wopiAccessCheck
  /browser/0a1b2c3d/upload-settings /browser/0a1b2c3d/fetch-settings-config /browser/0a1b2c3d/delete-settings-config
`);

/** `/svc/auth` and `/svc/wopi/` from outside, in 40 spellings. */
export const INTERNAL = list(String.raw`
  /svc/auth /svc/auth/ /svc/auth?x=1 /svc/auth// /svc/auth/. /svc/auth/x /svc/auth%2F /svc/auth%3Fx /svc/auth%20
  /svc/auth;x /svc/auth%00 /svc/auth#x /svc/wopi /svc/wopi/ /svc/wopi/files/doc_0123
  /svc/wopi/files/doc_0123/contents?access_token=x /svc/wopi/..;/wopi/ /svc/wopi%2Ffiles%2Fdoc_0123
  /svc/wopi//files/doc_0123 //svc/auth /svc//auth //svc//auth /svc/./auth /svc/x/../auth /svc/%2e/auth
  /svc/x/%2e%2e/auth /svc/x%2F..%2Fauth /svc/%61uth /svc/%61%75%74%68 /svc/%2561uth /svc%2Fauth /svc%252Fauth
  /%73vc/auth /svc/Auth /SVC/AUTH /svc/AUTH /svc\auth /svc/\auth /svc/;/auth /svc/healthz/../auth /cool/../svc/auth
  /v1/../svc/auth /browser/../svc/wopi/files/doc_0123 /svc//wopi//files/doc_0123 /svc/%77opi/files/doc_0123
  /svc/WOPI/files/doc_0123
`);

/** Internal locations of the front, which no client may reach. */
export const OWN = list('/.ask /ask/page /ask/ws /.page /.refused /.busy /.malformed /.method /.too_large /ready');

export const UNKNOWN = list('/x /svcx/ /v2/convert /v1x /wasm/x /co/collab /robots.txt /cools/x /browserx/');

/** Paths whose bytes must reach the editor as they were sent. */
export const RAW_TARGETS = list(`
  /cool/${DOCUMENT}/download/a%2Fb%3Fc%23d /cool/${TWICE}/insertfile?WOPISrc=${WOPI_SRC}&x=%2f%2F
  /browser/0a1b2c3d/images/a%20b+c.svg?v=%2F /hosting/capabilities?x=//y/../z /lool/x//y/%2e%2e/z
`);
