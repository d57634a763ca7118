// Takes in what was selected. The worker may be stopped at any moment: what was written stays.
import { open } from './memfold/index.js';

const memories = open({ name: 'selected' });

chrome.runtime.onInstalled.addListener(() => chrome.contextMenus.create({ id: 'remember', title: 'Remember this', contexts: ['selection'] }));
chrome.contextMenus.onClicked.addListener(async ({ selectionText, pageUrl }) => {
  // A page is not its reader: what it says is no word of the owner's, and replaces none.
  const { entry } = await (await memories).add({ content: selectionText.slice(0, 8_000), sourceType: 'tool_output', properties: [{ name: 'url', value: pageUrl }] });
  await chrome.action.setBadgeText({ text: { CREATE: '+', UPDATE: '↻', CREATE_AND_LINK: '↔', SKIP: '=' }[entry.decision] ?? '' });
});
