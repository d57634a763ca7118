// Messages of the extension's pages, in English and Korean, and overrides for shared components.
// `{name}` is a placeholder; `{n:mail|mails}` chooses by number.
import { catalogue, known, millis, reword } from '../../../shared/i18n';

const messages = {
  'nav.options': ['All options', '모든 설정'],

  // This mail
  'inbox.title': ['This mail', '이 메일'],
  'thread.none': ['No mail is open', '열린 메일이 없습니다'],
  'thread.none.detail': ['Open a mail in Gmail to see here what it taught.', 'Gmail에서 메일을 열면 알게 된 내용이 여기에 나타납니다.'],
  'thread.nothing': ['Nothing to remember', '기억할 것이 없습니다'],
  'thread.nothing.detail': ['{n} {n:mail was|mails were} read; nothing was worth keeping.', '메일 {n}통을 읽었고, 남길 만한 내용이 없었습니다.'],
  'thread.unread': ['This mail was not read', '읽지 않은 메일입니다'],
  'thread.unread.detail': ['The options list which mail is read and which is not.', '어떤 메일을 읽는지는 설정에 있습니다.'],
  'thread.summary': ['{remembered} remembered · {updated} updated · {known} known', '{remembered}개 기억 · {updated}개 갱신 · {known}개 이미 앎'],
  'thread.failed': [
    '{n} {n:mail|mails} could not be read. See the notice above or the log.',
    '메일 {n}통을 읽지 못했습니다. 이유는 위의 알림이나 기록에 있습니다.',
  ],
  'thread.linkedTo': ['Linked to', '연결된 기억'],
  'thread.knownAs': ['Known as', '이미 아는 기억'],
  'thread.why': ['Why?', '이유'],
  'thread.fix': ['Correct it', '바로잡기'],
  'thread.decided': ['You decided: {decision}', '직접 판단함: {decision}'],
  'thread.takenBack': ['Undone', '되돌림'],
  'thread.forgotten': ['Forgotten for good', '완전히 지웠습니다'],
  'fix.right': ['That is right', '맞습니다'],
  'fix.notUpdate': ['Not an update', '갱신이 아님'],
  'fix.link': ['Link instead', '연결로'],
  'fix.update': ['It is an update', '갱신임'],
  'fix.noLink': ['No link', '연결 아님'],
  'fix.duplicate': ['Duplicate', '중복'],
  'fix.keep': ['Keep as new', '새 기억으로'],
  'fix.forget': ['Forget', '완전 삭제'],
  'fix.forget.sure': ['Erase it with all versions and in the copy? This cannot be undone.', '모든 버전과 사본까지 지울까요? 되돌릴 수 없습니다.'],
  'fix.forget.yes': ['Forget for good', '완전히 지우기'],

  // Notices
  'notice.loss': [
    'The browser lost the database on {at}. {n} {n:memory was|memories were} restored from the copy of {copied}.',
    '{at}에 브라우저가 데이터베이스를 잃었습니다. {copied}의 사본에서 기억 {n}개를 되살렸습니다.',
  ],
  'notice.loss.none': [
    'The browser lost the database on {at} and had no copy. Open your mails again, or import an archive.',
    '{at}에 브라우저가 데이터베이스를 잃었고 사본이 없었습니다. 메일을 다시 열거나 보관 파일을 가져오세요.',
  ],
  'notice.loss.detail': ['Open newer mails again to have them read.', '사본 이후의 메일은 다시 열면 읽습니다.'],
  'notice.changed': [
    'Gmail has changed ({parts}), so mails are not remembered. Update memfold to continue.',
    'Gmail이 바뀌어({parts}) 메일을 기억하지 못합니다. memfold를 업데이트하세요.',
  ],
  'notice.locked': ['The key of your model is locked. Unlock it to use the model again.', '모델 키가 잠겨 있습니다. 모델을 다시 쓰려면 잠금을 푸세요.'],
  'notice.import': ['Importing {name}: {share}, {mails} {mails:mail|mails}', '{name} 가져오는 중: {share}, 메일 {mails}통'],
  'notice.ok': ['OK', '확인'],
  'aside.title': ['{n} {n:mail|mails} could not be read and {n:was|were} set aside', '메일 {n}통을 읽지 못해 따로 두었습니다'],
  'aside.detail': [
    'Each was tried three times. Other mails are read as usual; these wait on this device.',
    '세 번씩 시도했습니다. 다른 메일은 평소처럼 읽으며, 이 메일은 이 기기에서 기다립니다.',
  ],
  'aside.noSubject': ['(no subject)', '(제목 없음)'],
  'aside.stopped': ['memfold was stopped while it read it', '읽는 동안 memfold가 멈췄습니다'],
  'aside.timeout': ['reading it took too long', '읽는 데 너무 오래 걸렸습니다'],
  'aside.failed': ['the engine failed ({code})', '엔진이 실패했습니다({code})'],
  'aside.retry': ['Try again', '다시 시도'],
  'aside.drop': ['Discard', '버리기'],
  'aside.dropped': ['Discarded. It will not be read again.', '버렸습니다. 다시 읽지 않습니다.'],
  'aside.read': ['It was read.', '읽었습니다.'],
  'aside.still': ['It still cannot be read.', '이번에도 읽지 못했습니다.'],
  'part.thread': ['the open thread', '열린 대화'],
  'part.message': ['its messages', '메시지'],
  'part.body': ['their text', '본문'],
  'part.sender': ['their senders', '보낸 사람'],

  // Sleep cycle
  'rest.title': ['At rest', '쉬는 동안'],
  'rest.never': [
    'Every hour, when idle, similar memories are merged and unused ones rank lower. Nothing is deleted.',
    '할 일이 없을 때 한 시간마다 비슷한 기억을 합치고 쓰지 않는 기억의 순위를 낮춥니다. 지우지는 않습니다.',
  ],
  'rest.did': [
    '{at}: {seen} checked, {folded} merged into {merges} {merges:summary|summaries}, {tagged} tagged, {moved} moved, {promoted} promoted.',
    '{at}: {seen}개를 살펴 {folded}개를 요약 {merges}개로 합치고, {tagged}개에 태그를 붙이고, {moved}개의 단계를 바꾸고, {promoted}개를 핵심으로 삼았습니다.',
  ],
  'rest.back': ['Each summary can be undone in the log.', '요약은 기록에서 되돌릴 수 있습니다.'],
  'rest.now': ['Rest now', '지금 쉬기'],

  // First run
  'welcome.title': ['Ready in three steps', '세 단계면 준비됩니다'],
  'welcome.lead': [
    'memfold remembers the facts in the mails you open: new ones, changed ones with their old value, and their links.',
    '연 메일의 사실을 기억합니다. 새 사실, 바뀐 사실과 이전 값, 서로 이어지는 것까지 기억합니다.',
  ],
  'welcome.open': ['Open Gmail', 'Gmail 열기'],
  'welcome.step': ['Step {n} of {of}', '{of}단계 중 {n}단계'],
  'welcome.next': ['Next', '다음'],
  'welcome.back': ['Back', '이전'],
  'welcome.1': ['What may it read?', '무엇을 읽을까요?'],
  'welcome.1.detail': [
    'No account, no server: memories stay in this browser. A mail is read only when you open it.',
    '계정도 서버도 없이 기억은 이 브라우저에만 있습니다. 메일은 열 때만 읽습니다.',
  ],
  'welcome.2': ['Use a model?', '모델을 쓸까요?'],
  'welcome.2.detail': [
    'It works without one, too. Rules keep about half of the facts in our test mailboxes; a good model kept nine of ten.',
    '없어도 됩니다. 시험용 메일함에서 규칙은 사실의 절반쯤, 좋은 모델은 열 개 중 아홉 개를 남겼습니다.',
  ],
  'welcome.2.none': ['No model: everything is decided on this device', '모델 없음: 모두 이 기기에서 판단'],
  'welcome.2.builtIn': ['Chrome’s built-in model: on this device', 'Chrome 내장 모델: 이 기기에서'],
  'welcome.2.local': ['A model on this computer (Ollama, LM Studio …)', '이 컴퓨터의 모델 (Ollama, LM Studio 등)'],
  'welcome.2.endpoint': ['A model elsewhere, by its address', '다른 곳의 모델 주소'],
  'welcome.3': ['Where to look', '어디를 볼까요?'],
  'welcome.3.detail': [
    'A chip beside the subject shows what was remembered. Click it for the side panel, with reasons and undo.',
    '제목 옆의 칩이 기억한 내용을 알려 줍니다. 누르면 사이드 패널에서 이유를 보고 되돌릴 수 있습니다.',
  ],
  'welcome.reload': ['Reload Gmail tabs that are already open.', '이미 열려 있던 Gmail 탭은 한 번 새로 고치세요.'],
  'welcome.optional': ['Your older mail, if you like', '이전 메일 (선택)'],

  // Pauses
  'pause.title': ['Pause', '일시 중지'],
  'pause.detail': ['Opened mails are not read until it ends. Stored memories stay.', '끝날 때까지 여는 메일을 읽지 않습니다. 저장된 기억은 그대로입니다.'],
  'pause.hour': ['for an hour', '1시간 동안'],
  'pause.tomorrow': ['until tomorrow', '내일까지'],
  'pause.open': ['until I turn it on', '다시 켤 때까지'],
  'pause.good': ['for good', '계속'],
  'pause.long': ['How long', '얼마나'],
  'pause.all': ['Everything is paused', '모두 일시 중지됨'],
  'pause.sender': ['{name} is paused', '{name} 메일 일시 중지됨'],
  'pause.label': ['The label {name} is paused', '{name} 라벨 일시 중지됨'],
  'pause.until': ['until {at}', '{at}까지'],
  'pause.on': ['Turn on again', '다시 켜기'],
  'pause.running': ['Paused now', '일시 중지 중'],
  'pause.did': ['Paused {until}.', '{until} 일시 중지합니다.'],
  'pause.ended': ['Mails are read again.', '다시 메일을 읽습니다.'],

  // Never remember, and erasure
  'alone.title': ['Never remember or forget', '읽지 않거나 잊기'],
  'alone.sender': ['Never remember {name}', '{name} 메일 기억하지 않기'],
  'alone.sender.pause': ['Pause {name}', '{name} 메일 일시 중지'],
  'alone.label.pause': ['Pause the label {name}', '{name} 라벨 일시 중지'],
  'alone.label': ['Never remember the label {name}', '{name} 라벨 기억하지 않기'],
  'alone.done': ['From now on {name} is not read.', '이제 {name} 메일은 읽지 않습니다.'],
  'alone.forget': ['Forget this mail', '이 메일 잊기'],
  'alone.forget.sure': [
    'Erase what this conversation taught, also in the copy? This cannot be undone. Facts from other mails stay.',
    '이 대화에서 알게 된 것을 사본까지 완전히 지울까요? 되돌릴 수 없습니다. 다른 메일에서 온 것은 남습니다.',
  ],
  'alone.forgotten': ['{n} {n:memory|memories} erased, {back} set back to an earlier value.', '기억 {n}개를 지우고 {back}개는 이전 값으로 되돌렸습니다.'],
  'alone.left': ['{n} could not be erased: later mails depend on {n:it|them}.', '{n}개는 나중 메일이 이어져 있어 두었습니다.'],
  'thread.unreadable': ['This page cannot be read', '이 화면을 읽을 수 없습니다'],
  'thread.unreadable.detail': [
    'Gmail has changed ({parts}), so nothing new is remembered. Update memfold to continue.',
    'Gmail이 바뀌어({parts}) 새 메일을 기억하지 못합니다. memfold를 업데이트하세요.',
  ],
  'known.title': ['Known of {name} and this matter', '{name}, 이 일에 대해 아는 내용'],
  'known.matter': ['Known of this matter', '이 일에 대해 아는 내용'],
  'text.gone': ['Open this mail in Gmail to see its text here.', 'Gmail에서 이 메일을 열면 본문이 보입니다.'],
  'thread.matter': ['The whole matter', '이 주제 전체 보기'],
  'digest.title': ['Daily notification', '하루 한 번 알림'],
  'digest.label': ['Every morning at eight: how many facts are new', '매일 아침 8시에 바뀐 내용을 숫자로 알려 주기'],
  'digest.denied': ['Chrome did not allow notifications, so this stays off.', '알림이 허용되지 않아 꺼 둡니다.'],

  // Model
  'model.title': ['A model that reads mail', '메일을 읽는 모델'],
  'model.lead': [
    'Everything works without a model. A model of yours reads each mail with related memories, and nothing else.',
    '모델 없이도 모두 작동합니다. 모델을 쓰면 메일마다 그 메일과 관련 기억만 보내 읽게 합니다.',
  ],
  'model.dialect': ['Kind', '종류'],
  'model.openai': ['OpenAI-compatible (also Ollama, LM Studio)', 'OpenAI 호환 (Ollama, LM Studio 포함)'],
  'model.anthropic': ['Anthropic', 'Anthropic'],
  'model.gemini': ['Gemini', 'Gemini'],
  'model.url': ['Address', '주소'],
  'model.name': ['Model', '모델'],
  'model.key': ['Key', '키'],
  'model.key.detail': [
    'Kept until the browser is closed. It is sent to this address alone; another address or kind of interface needs it anew.',
    '브라우저를 닫을 때까지만 두며 이 주소로만 보냅니다. 주소나 방식을 바꾸면 다시 입력해야 합니다.',
  ],
  'model.key.kept': ['A key is stored for this session.', '이번 세션의 키가 있습니다.'],
  'model.passphrase': ['Passphrase, to keep the key encrypted (optional)', '키를 암호화해 보관할 암호 (선택)'],
  'model.passphrase.detail': [
    'The key is stored encrypted on this device. You enter the passphrase once after each start.',
    '키를 이 기기에 암호화해 둡니다. 브라우저를 시작할 때마다 한 번 암호를 입력합니다.',
  ],
  'model.save': ['Save', '저장'],
  'model.test': ['Test', '시험'],
  'model.remove': ['Remove', '없애기'],
  'model.saved': ['Saved. Only {origin} is asked.', '저장했습니다. {origin}에만 묻습니다.'],
  'model.removed': ['Removed. No model is used any more.', '없앴습니다. 모델을 쓰지 않습니다.'],
  'model.denied': ['Chrome did not allow {origin}, so it was not saved.', '{origin}에 연결하도록 허용하지 않아 저장하지 않았습니다.'],
  'model.bad': ['The address must begin with https://, or http:// on this machine.', '주소는 https://로 시작해야 하며, 이 기기라면 http://도 됩니다.'],
  'model.local': [
    'Ollama answers a browser extension only if OLLAMA_ORIGINS allows chrome-extension://*.',
    'Ollama는 OLLAMA_ORIGINS에 chrome-extension://*이 있어야 확장 프로그램에 답합니다.',
  ],
  'model.unlock': ['Unlock', '잠금 풀기'],
  'model.unlock.label': ['Passphrase', '암호'],
  'model.unlock.wrong': [
    'Wrong passphrase. If it is right, the stored key was changed: enter the key again in the options.',
    '암호가 맞지 않습니다. 맞다면 저장된 키가 바뀐 것이니 설정에서 키를 다시 입력하세요.',
  ],
  'model.builtIn': ['Use Chrome’s built-in model instead', 'Chrome 내장 모델 사용'],
  'model.builtIn.available': ['It is ready.', '쓸 수 있습니다.'],
  'model.builtIn.downloadable': ['Chrome will download it first.', 'Chrome이 먼저 내려받습니다.'],
  'model.builtIn.downloading': ['Chrome is downloading it.', 'Chrome이 내려받는 중입니다.'],
  'model.builtIn.unavailable': ['This Chrome or this device cannot run it.', '이 Chrome이나 이 기기에서는 쓸 수 없습니다.'],
  'model.builtIn.detail': ['It runs on this device, also when only Gmail is open.', '이 기기에서 실행되며 Gmail만 열려 있어도 답합니다.'],

  // Import of an archive
  'archive.title': ['Your older mail', '이전 메일'],
  'archive.lead': [
    'Choose the .zip from Gmail Takeout or an .mbox file. It is read on this device, even if you close this page.',
    'Gmail 테이크아웃의 .zip이나 .mbox 파일을 고르세요. 이 기기에서 읽으며 페이지를 닫아도 이어집니다.',
  ],
  'archive.account': ['Address of that mailbox', '그 메일함의 주소'],
  'archive.choose': ['Choose .zip or .mbox files', '.zip 또는 .mbox 파일 선택'],
  'archive.several': ['{name} and {n} more', '{name} 외 {n}개'],
  'archive.copying': ['Copying the file…', '파일을 복사하는 중…'],
  'archive.running': ['{share} of {name}: {mails} {mails:mail|mails} read', '{name}의 {share}: 메일 {mails}통 읽음'],
  'archive.done': ['Done: {mails} {mails:mail|mails} of {name} read, {drafts} statements found.', '완료: {name}의 메일 {mails}통에서 {drafts}건을 찾았습니다.'],
  'archive.cancelled': ['Stopped after {mails} {mails:mail|mails}. What was read is kept.', '메일 {mails}통에서 멈췄습니다. 읽은 내용은 남습니다.'],
  'archive.failed': [
    'Stopped after {mails} {mails:mail|mails} by a problem. Choose the same file again.',
    '메일 {mails}통에서 문제가 생겨 멈췄습니다. 같은 파일을 다시 고르세요.',
  ],
  'archive.skipped': ['{n} skipped by your Never remember list.', '기억하지 않을 메일 {n}통을 건너뛰었습니다.'],
  'archive.unread': ['{n} could not be read.', '{n}통은 읽지 못했습니다.'],
  'archive.stop': ['Stop', '멈추기'],

  'encoder.title': ['Search by meaning', '뜻으로 찾기'],
  'encoder.detail': [
    'Finds memories by meaning, in Korean and English. It is part of memfold and runs on this device.',
    '한국어와 영어를 가리지 않고 뜻으로 찾습니다. memfold에 들어 있으며 이 기기에서 실행됩니다.',
  ],

  // Options
  'options.title': ['Options', '설정'],
  'options.lead': ['What memfold reads and keeps, and how to erase it.', '무엇을 읽고 남길지, 어떻게 지울지 정합니다.'],
  'options.saved': ['Saved.', '저장했습니다.'],
  'read.title': ['What is read', '무엇을 읽을까요'],
  'read.legend': ['Mails are read', '메일을'],
  'read.open': ['when opened', '열 때 읽기'],
  'read.label': ['with a label only', '라벨이 있을 때만'],
  'read.never': ['never', '읽지 않기'],
  'read.label.name': ['Label', '라벨'],
  'read.label.detail': ['The label’s name as Gmail shows it above an open mail.', '열린 메일 위에 Gmail이 보여 주는 라벨 이름입니다.'],
  'ignore.labels': ['Labels never to read, one a line', '읽지 않을 라벨 (한 줄에 하나)'],
  'who.owner': ['Your addresses, one a line', '내 주소 (한 줄에 하나)'],
  'who.owner.detail': [
    'Mail that Gmail proves to be from you counts as your own words. No other mail replaces your notes.',
    '내가 보낸 것으로 Gmail이 확인한 메일은 내 말로 봅니다. 내 메모는 다른 메일이 바꾸지 못합니다.',
  ],
  'who.important': ['Important senders, one a line', '더 중요한 사람 (한 줄에 하나)'],
  'keeping.title': ['How long it is kept', '얼마나 남길까요'],
  'keeping.days': ['Forget after days', '며칠 뒤 지우기'],
  'keeping.days.detail': ['0 keeps everything. Core memories are always kept.', '0이면 모두 남깁니다. 핵심 기억은 항상 남습니다.'],
  'budget.tokens': ['Model tokens a day', '하루 모델 토큰'],
  'budget.tokens.detail': [
    'At the limit no model is used until tomorrow. 0 means no limit.',
    '한도를 넘으면 내일까지 모델을 쓰지 않습니다. 0은 제한 없음입니다.',
  ],
  'data.copy': ['Second copy', '두 번째 사본'],
  'data.copy.detail': [
    'A compressed copy in another place of this browser, in case the database is lost. Last: {at}.',
    '데이터베이스를 잃을 때를 대비한 압축 사본입니다. 이 브라우저의 다른 곳에 둡니다. 최근: {at}.',
  ],
  'data.copy.never': ['not yet', '아직 없음'],
  'data.copy.now': ['Copy now', '지금 사본 만들기'],
  'data.copy.done': ['The copy is made.', '사본을 만들었습니다.'],
  'data.export.lead': [
    'All memories, versions, links and the log, as JSON Lines. Mail texts are not in it; they stay in Gmail.',
    '모든 기억, 버전, 연결, 기록을 JSON Lines로 저장합니다. 메일 본문은 없으며 Gmail에 그대로 있습니다.',
  ],
  'data.erase.detail': [
    'Memories, log, copy, key and settings, except what is read and what is not. This cannot be undone.',
    '기억, 기록, 사본, 키와 설정을 모두 지웁니다. 무엇을 읽고 읽지 않을지는 남습니다. 되돌릴 수 없습니다.',
  ],
  'data.erase.sure': ['Erase everything?', '모두 지울까요?'],
  'look.title': ['Appearance', '화면'],
  'why.title': ['What it is allowed to do', '허용된 것'],
  'why.gmail': ['mail.google.com: reads the mail that you open, as set above.', 'mail.google.com: 위 설정에 따라 연 메일을 읽습니다.'],
  'why.storage': ['Storage: keeps memories on this device without a size limit.', '저장: 기억을 크기 제한 없이 이 기기에 둡니다.'],
  'why.alarms': ['Alarms: continues interrupted work.', '알람: 끊긴 일을 이어서 합니다.'],
  'why.offscreen': [
    'Hidden document: compares texts by meaning and runs Chrome’s built-in model.',
    '숨은 문서: 글의 뜻을 비교하고 Chrome 내장 모델을 실행합니다.',
  ],
  'why.notifications': ['Notifications: only for the daily notification.', '알림: 하루 한 번 알림을 켤 때만 씁니다.'],
  'why.panel': ['Side panel: shows what was remembered.', '사이드 패널: 기억한 것을 보여 줍니다.'],
  'why.host': ['A model’s address: requested only when you save one.', '모델 주소: 저장할 때 그 주소만 허용을 묻습니다.'],
} as const;

reword({
  'drop.title': ['To the open mail', '열린 메일로'],
  'app.private': ['Everything stays in this browser.', '모든 것이 이 브라우저 안에만 있습니다.'],
  'error.engine_stopped': ['memfold’s service worker gave no answer. Please try again.', 'memfold 서비스 워커가 답하지 않았습니다. 다시 시도하세요.'],
  'error.unsupported': ['The engine could not be started. Your mail is not affected.', '엔진을 시작하지 못했습니다. 메일에는 영향이 없습니다.'],
});

/** The message of a key in the reader's language. */
export const w = catalogue(messages);

/** The name of a part of Gmail's page that was not found. */
export const partWords = (part: string): string => (Object.hasOwn(messages, `part.${part}`) ? w(`part.${part}` as 'part.thread') : part);

/** Why a mail was set aside. */
export const asideWords = (code: string): string => (code === 'stopped' || code === 'timeout' ? w(`aside.${code}`) : w('aside.failed', { code }));

/** The result of a model test. */
export const testWords = (code: string, ms: number): string => `${known(`test.${code}`) ?? code} (${millis(ms)})`;
