/** A text with colours, brackets and completion: CodeMirror, in the console's own colours. Control or Command and Enter runs it; Tab leaves it. */
import { useComputedColorScheme } from '@mantine/core';
import { json } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, Prec, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { graphql, updateSchema } from 'cm6-graphql';
import { basicSetup } from 'codemirror';
import type { GraphQLSchema } from 'graphql';
import { useEffect, useRef } from 'react';
import { nonce } from '../frame/nonce.ts';
import './editor.css';

export type Language = 'graphql' | 'json' | 'text';

interface EditorProps {
  /** What a screen reader calls it. */
  readonly label: string;
  readonly language: Language;
  readonly value: string;
  /** Without it the text is read alone. */
  readonly change?: (text: string) => void;
  readonly run?: () => void;
  /** Of `graphql`: what is completed and checked. */
  readonly schema?: GraphQLSchema | undefined;
}

const COLOURS = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [tags.keyword, tags.definitionKeyword, tags.bool, tags.null], color: 'var(--code-word)' },
    { tag: [tags.string, tags.integer, tags.float, tags.number], color: 'var(--code-value)' },
    { tag: [tags.propertyName, tags.attributeName, tags.variableName], color: 'var(--code-name)' },
    { tag: tags.comment, color: 'var(--mantine-color-dimmed)' },
  ]),
);

const LANGUAGES: Readonly<Record<Language, () => Extension>> = { graphql: () => graphql(), json, text: () => [] };
const scheme = new Compartment();

/** What is typed over a selection. Left to it, Chromium keeps the colour of what was there in a style attribute, which the policy of the page refuses. */
const OVER = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { from, to, empty } = view.state.selection.main;
    if (event.inputType !== 'insertText' || event.data === null || empty || event.isComposing) return false;
    const text = event.data;
    const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type' });
    const isTaken = view.state.facet(EditorView.inputHandler).some((take) => take(view, from, to, text, insert));
    if (!isTaken) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

const looks = (isDark: boolean): Extension => EditorView.theme({}, { dark: isDark });

export function Editor({ label, language, value, change, run, schema }: EditorProps) {
  const isDark = useComputedColorScheme('light') === 'dark';
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  // The editor lives longer than one rendering: it asks for what is right at the time.
  const now = useRef({ change, run, value });
  now.current = { change, run, value };

  useEffect(() => {
    const run = (): boolean => {
      now.current.run?.();
      return true;
    };
    const it = new EditorView({
      parent: place.current!,
      doc: now.current.value,
      extensions: [
        EditorView.cspNonce.of(nonce),
        Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
        basicSetup,
        OVER,
        EditorView.lineWrapping,
        LANGUAGES[language](),
        COLOURS,
        scheme.of([]),
        EditorState.readOnly.of(now.current.change === undefined),
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          const text = state.doc.toString();
          if (docChanged && text !== now.current.value) now.current.change?.(text);
        }),
      ],
    });
    view.current = it;
    return () => it.destroy();
  }, [label, language]);

  useEffect(() => view.current?.dispatch({ effects: scheme.reconfigure(looks(isDark)) }), [isDark, label, language]);
  useEffect(() => {
    if (language === 'graphql' && view.current !== null) updateSchema(view.current, schema);
  }, [schema, label, language]);
  useEffect(() => {
    const doc = view.current?.state.doc;
    if (doc !== undefined && doc.toString() !== value)
      view.current?.dispatch({ changes: { from: 0, to: doc.length, insert: value } });
  }, [value]);

  return <div ref={place} className="editor" data-reads={change === undefined || undefined} />;
}
