import { iso } from '../../../src/common/clock.ts';
import type { Job, JobCallback } from '../../../src/common/generated/wire.ts';
import type { JobRecord } from '../jobs/job.ts';

/** A job as the interface shows it (contract: DocBuilder job). */
export function jobView(job: JobRecord): Job {
  const { expiresAt, callback } = job;
  return {
    id: job.id,
    kind: job.kind,
    status: job.status,
    created_at: iso(job.createdAt),
    started_at: isoOrNull(job.startedAt),
    finished_at: isoOrNull(job.finishedAt),
    expires_at: isoOrNull(expiresAt),
    outputs: job.outputs.map((output) => ({
      file_id: output.fileId,
      url: `${job.baseUrl}/v1/files/${output.fileId}`,
      filename: output.filename,
      format: output.format,
      content_type: output.contentType,
      size: output.size,
      sha256: output.sha256,
      pages: output.pages,
      expires_at: iso(expiresAt ?? job.createdAt),
    })),
    error: job.error,
    callback: callback && {
      state: callback.state,
      attempts: callback.attempts,
      last_status: callback.lastStatus,
      next_attempt_at: isoOrNull(callback.nextAttemptAt),
    },
  };
}

function isoOrNull(time: number | null): string | null {
  return time === null ? null : iso(time);
}

/** Body of a job's completion callback (contract: Events, job callback body). */
export function jobCallbackBody(job: JobRecord): string {
  const body: JobCallback = { event: job.status === 'done' ? 'job.done' : 'job.failed', job: jobView(job) };
  return JSON.stringify(body);
}
