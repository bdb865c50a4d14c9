import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** The width of an element, as it changes. */
export function useWidth<E extends HTMLElement>() {
  const element = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const watched = element.current!;
    setWidth(watched.clientWidth);
    const watcher = new ResizeObserver(() => setWidth(watched.clientWidth));
    watcher.observe(watched);
    return () => watcher.disconnect();
  }, []);
  return [element, width] as const;
}
