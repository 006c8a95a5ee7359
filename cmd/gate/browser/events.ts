/** Calls the page's handlers; what they throw is theirs, and is shown as an error of the page. */
export type Emit = <Name extends keyof SVC.Events>(name: Name, event: EventOf<Name>) => void;

type EventOf<Name extends keyof SVC.Events> = Parameters<NonNullable<SVC.Events[Name]>>[0];

export function createEmit(events: SVC.Events = {}): Emit {
  return (name, event) => {
    try {
      (events[name] as ((event: unknown) => void) | undefined)?.call(events, event);
    } catch (error) {
      setTimeout(() => {
        throw error;
      });
    }
  };
}
