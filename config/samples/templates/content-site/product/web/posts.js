// The posts, newest first. At a site a request needs no headers, and public content needs no login.
const answer = await fetch('/content/site/post?orderby=-posted_on&limit=20');
const { data } = await answer.json();

// textContent, never innerHTML: what an editor writes is shown as text and cannot run.
const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });

document.querySelector('#posts').replaceChildren(
  ...data.map(({ title, text, posted_on, picture_id }) => {
    const post = document.createElement('article');
    post.append(element('h2', title), element('time', posted_on), element('p', text));
    if (picture_id !== null)
      post.append(Object.assign(new Image(), { src: `/store/media/asset/${picture_id}/download`, alt: '' }));
    return post;
  }),
);
