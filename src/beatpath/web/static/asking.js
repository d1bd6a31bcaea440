// Asking the service: plain requests, uploads that can be stopped, jobs that are followed to their end.

const GONE = "The server does not answer. It may have ended: start it again, and reload this page.";

export class Refused extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

export const ask = async (path, body, method = body === undefined ? "GET" : "POST") => {
  const told = { method, headers: {} };
  if (body !== undefined) {
    told.headers["Content-Type"] = "application/json";
    told.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, told);
  } catch {
    throw new Refused(GONE);
  }
  if (answer.status === 204) return null;
  const data = await answer.json().catch(() => ({ error: GONE }));
  if (!answer.ok) throw new Refused(data.error, answer.status);
  return data;
};

// Send a file; `tell` hears the share sent. Returns the promise of its description, and a way to stop.
export const upload = (file, most, tell) => {
  const request = new XMLHttpRequest();
  const sent = new Promise((resolve, reject) => {
    if (file.size > most) {
      const mb = (bytes) => `${(bytes / 2 ** 20).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
      reject(new Refused(`An upload may have ${mb(most)}; this file has ${mb(file.size)}. Name it when the server is started: that has no limit.`));
      return;
    }
    request.open("POST", `/api/uploads?${new URLSearchParams({ name: file.name })}`);
    request.responseType = "json";
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = ({ loaded, total }) => tell(total ? loaded / total : 0);
    request.onload = () =>
      request.status === 201 ? resolve(request.response) : reject(new Refused(request.response?.error ?? GONE));
    request.onerror = () => reject(new Refused("The upload must arrive whole; the connection ended before that. Nothing was kept."));
    request.onabort = () => reject(new Refused("The upload was cancelled. Nothing was kept."));
    request.send(file);
  });
  return { sent, stop: () => request.abort() };
};

// Follow a job until it has ended; `tell` hears how it stands each time that changes.
export const follow = (id, tell) => {
  const events = new EventSource(`/api/jobs/${id}/events`);
  events.onmessage = ({ data }) => {
    const now = JSON.parse(data);
    if (!["waiting", "running"].includes(now.state)) events.close();
    tell(now);
  };
  events.onerror = () => {
    if (events.readyState === EventSource.CLOSED) tell({ id, state: "failed", error: GONE });
  };
  return () => events.close();
};
