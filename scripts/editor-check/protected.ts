import { createCipheriv, createHash, pbkdf2Sync, randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { zip } from '../support/documents.ts';

const ODF = 'urn:oasis:names:tc:opendocument:xmlns';
const ENCRYPTION = 'http://www.w3.org/2001/04/xmlenc';
const ITERATIONS = 100_000;
const KEY_BYTES = 32;

/** A text document of one sentence that opens with a password (OpenDocument 1.2, part 3, 3.4). */
export function protectedOdt(password: string, sentence: string): Buffer {
  const content = Buffer.from(
    `<office:document-content xmlns:office="${ODF}:office:1.0" xmlns:text="${ODF}:text:1.0" office:version="1.2"><office:body><office:text><text:p>${sentence}</text:p></office:text></office:body></office:document-content>`,
  );
  const { bytes, data } = encrypted(content, password);
  return zip(
    {
      mimetype: 'application/vnd.oasis.opendocument.text',
      'content.xml': bytes,
      'META-INF/manifest.xml': `<manifest:manifest xmlns:manifest="${ODF}:manifest:1.0" manifest:version="1.2">
<manifest:file-entry manifest:full-path="/" manifest:version="1.2" manifest:media-type="application/vnd.oasis.opendocument.text"/>
<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml" manifest:size="${content.length}">${data}</manifest:file-entry>
</manifest:manifest>`,
    },
    0,
  );
}

/** The bytes of a part, and what its entry in the manifest says of them. */
function encrypted(content: Buffer, password: string): { bytes: Buffer; data: string } {
  const [salt, vector] = [randomBytes(16), randomBytes(16)];
  const startKey = createHash('sha256').update(password, 'utf8').digest();
  const key = pbkdf2Sync(startKey, salt, ITERATIONS, KEY_BYTES, 'sha1');
  const packed = deflateRawSync(content);
  const cipher = createCipheriv('aes-256-cbc', key, vector);
  const checksum = createHash('sha256').update(packed.subarray(0, 1024)).digest('base64');
  const data = `<manifest:encryption-data manifest:checksum-type="${ODF}:manifest:1.0#sha256-1k" manifest:checksum="${checksum}">
<manifest:algorithm manifest:algorithm-name="${ENCRYPTION}#aes256-cbc" manifest:initialisation-vector="${vector.toString('base64')}"/>
<manifest:key-derivation manifest:key-derivation-name="PBKDF2" manifest:key-size="${KEY_BYTES}" manifest:iteration-count="${ITERATIONS}" manifest:salt="${salt.toString('base64')}"/>
<manifest:start-key-generation manifest:start-key-generation-name="http://www.w3.org/2000/09/xmldsig#sha256" manifest:key-size="${KEY_BYTES}"/></manifest:encryption-data>`;
  return { bytes: Buffer.concat([cipher.update(packed), cipher.final()]), data };
}
