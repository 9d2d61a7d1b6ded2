import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { serve } from './local-server.ts';

interface Question {
  messages: { role: string; content: string }[];
  response_format: { json_schema: { schema: { properties: { target: { enum: string[] } } } } };
}

/** A model whose answers the test sets. */
export async function startModel() {
  const questions: Question[] = [];
  let behave: (question: Question, response: ServerResponse) => void = () => {};
  const { url, close } = await serve(async (request, response) => {
    const question = (await json(request)) as Question;
    questions.push(question);
    behave(question, response);
  });
  return {
    questions,
    url: `${url}/v1`,
    close,
    behave: (how: typeof behave) => {
      behave = how;
    },
    answer: (choose: (question: Question) => unknown) => {
      behave = (question, response) =>
        response.end(
          JSON.stringify({
            choices: [{ message: { content: JSON.stringify(choose(question)) } }],
            usage: { prompt_tokens: 100, completion_tokens: 10 },
          }),
        );
    },
  };
}
