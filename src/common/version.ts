/** Version of the service and of its images (contract: Versioning). */
export const VERSION = '1.0.0';
/** Version of the DocBuilder API, the path prefix `/v1/`. */
export const API_VERSION = 'v1';
