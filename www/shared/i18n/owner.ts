// Words for who looks after what is known: matters, what is due, where it is from, what was just done. English and Korean side by side.

export const owner = {
  // By matter
  'memories.title': ['Everything', '전체'],
  'memories.lead': ['All that is current, by matter or by person. Open a line for its words, history and mail.', '지금 알고 있는 내용을 주제별, 사람별로 봅니다. 한 줄을 열면 원문과 이력, 메일이 보입니다.'],
  'memories.filter': ['About', '찾을 말'],
  'memories.filter.example': ['a project, a person, an order …', '프로젝트, 사람, 주문 …'],
  'memories.way': ['Shown', '보기'],
  'memories.way.matters': ['By matter', '주제별로'],
  'memories.way.people': ['By person', '사람별로'],
  'memories.way.list': ['Flat list', '목록으로'],
  'memories.matters': ['{n} {n:matter|matters}, {memories} {memories:memory|memories}', '주제 {n}개, 기억 {memories}개'],
  'memories.people': ['{n} {n:person|people}', '{n}명'],
  'matter.now': ['Holds now', '지금 내용'],
  'matter.line': ['What was said, in order', '오간 이야기'],
  'matter.note': ['A note of yours', '직접 쓴 메모'],
  'matter.suspect': ['May be fraud: look', '사기일 수 있음: 확인'],
  'matter.last': ['last said {day}', '마지막 {day}'],
  'line.putBack': ['Put this back', '이 내용으로 되돌리기'],
  'memory.putBack': ['Put back what it said before', '이전 내용으로 되돌리기'],
  'memory.from': ['Where from', '출처'],
  'memory.deleted.n': ['{n} {n:memory|memories} deleted.', '기억 {n}개를 지웠습니다.'],

  // What is due
  'due.until': ['due {day}', '{day}까지'],
  'due.on': ['on {day}', '{day}'],
  'changes.title': ['How this mailbox changed', '메일함의 변화'],
  'changes.fresh': ['New', '새 기억'],
  'changes.changed': ['Updated', '갱신'],

  // Where from
  'mail.open': ['Open the mail', '메일 열기'],
  'mail.gmail': ['Open in Gmail', 'Gmail에서 열기'],
  'mail.title': ['Mail', '메일'],
  'mail.text': ['Text of the mail', '메일 본문'],
  'mail.noSubject': ['(no subject)', '(제목 없음)'],
  'mail.reading': ['Looking for the mail…', '메일을 찾는 중…'],
  'mail.gone': [
    'The text of this mail is not kept on this device.',
    '이 메일의 본문은 이 기기에 없습니다.',
  ],
  'forget.all': ['Forget everything from {name}', '{name}에게서 온 기억 모두 지우기'],
  'forget.good': ['Erase for good …', '완전히 지우기 …'],
  'forget.sure': [
    'Erase for good {n} {n:memory|memories} that {name} told of, with the text of the mails? There is no way back.',
    '{name}(이/가) 알려 준 기억 {n}개를 메일 본문과 함께 완전히 지울까요? 되돌릴 수 없습니다.',
  ],
  'forget.yes': ['Yes, erase for good', '네, 완전히 지웁니다'],

  // The picture of links
  'links.tools': ['The picture', '그림'],
  'links.closer': ['Closer', '크게'],
  'links.away': ['Farther', '작게'],
  'links.fit': ['Show all', '한눈에'],
  'links.focus': ['Only this memory', '이 기억만'],
  'links.all': ['All memories', '모든 기억'],
  'memory.picture': ['Show in the picture', '그림에서 보기'],

  // What was just done
  'toast.label': ['What was just done', '방금 한 일'],
  'undo.import': ['Undo this import', '이 가져오기 되돌리기'],
  'undo.import.sure': ['Take back the {n} {n:decision|decisions} of this import?', '이번 가져오기의 판단 {n}건을 모두 되돌릴까요?'],
  'undo.import.yes': ['Yes, undo', '네, 되돌립니다'],
  'undo.import.going': ['Taking back… {n} of {of}', '되돌리는 중… {of}건 중 {n}건'],
  'undo.import.done': ['{n} {n:decision was|decisions were} taken back.', '판단 {n}건을 되돌렸습니다.'],
  'undo.import.stay': ['{n} {n:stays|stay}: later decisions build on {n:it|them}.', '{n}건은 이후 판단의 바탕이어서 그대로 두었습니다.'],
  'again.detail': [
    'These mails were read before, and {n} {n:decision|decisions} about them {n:was|were} taken back. A mail is read only once, so nothing new came of them.',
    '전에 읽은 메일이며, 그때의 판단 {n}건은 되돌린 상태입니다. 메일은 한 번만 읽으므로 새로 남긴 것이 없습니다.',
  ],
  'again.go': ['Bring it back', '되살리기'],
  'again.going': ['Bringing back… {n} of {of}', '되살리는 중… {of}건 중 {n}건'],
  'again.done': ['{n} {n:decision is|decisions are} back.', '판단 {n}건을 되살렸습니다.'],
  'again.stay': ['{n} {n:stays|stay} taken back: later decisions build on that.', '{n}건은 이후 판단의 바탕이어서 되돌린 채로 두었습니다.'],
  'log.takenBack': ['Taken back', '되돌림'],

  // Counting: found = kept + merged + said again + set aside
  'sum.kept': ['Kept', '새로 남김'],
  'sum.merged': ['Updated', '갱신'],
  'sum.skipped': ['Known already', '이미 앎'],
  'sum.aside': ['Set aside', '따로 둠'],
  'sum.words': [
    '{found} found = {kept} kept + {merged} updated + {skipped} known already + {aside} set aside',
    '찾은 내용 {found} = 새로 남김 {kept} + 갱신 {merged} + 이미 앎 {skipped} + 따로 둠 {aside}',
  ],
  'sum.aside.detail': ['What is set aside waits for you under Review.', '따로 둔 내용은 확인에서 기다립니다.'],

  // The files
  'files.refused': ['{n} {n:file was|files were} not read', '읽지 않은 파일 {n}개'],
  'files.empty': ['The file is empty.', '빈 파일입니다.'],
  'files.not_mail': ['This is not a mailbox. An .mbox or .eml file, or a zip from Google Takeout, is needed.', '메일함이 아닙니다. .mbox나 .eml 파일, Google 테이크아웃 zip 파일이 필요합니다.'],
  'files.locked': ['The archive wants a password. Unpack it first, and choose the .mbox file in it.', '암호가 걸린 압축 파일입니다. 먼저 푼 뒤 그 안의 .mbox 파일을 고르세요.'],
  'files.no_mail_in_zip': ['There is no mailbox in this archive.', '압축 파일 안에 메일함이 없습니다.'],
  'files.broken_zip': ['The archive is damaged and could not be opened.', '압축 파일이 손상되어 열 수 없습니다.'],
  'files.strange_zip': ['The archive is packed in a way that cannot be opened here. Unpack it first, and choose the .mbox file in it.', '여기서 열 수 없는 방식으로 압축된 파일입니다. 먼저 푼 뒤 그 안의 .mbox 파일을 고르세요.'],
  'files.too_large': ['The archive is too large to be opened here. Unpack it first, and choose the .mbox file in it.', '여기서 열기에는 너무 큰 압축 파일입니다. 먼저 푼 뒤 그 안의 .mbox 파일을 고르세요.'],
  'files.mails': ['{n} mails', '메일 {n}통'],
  'files.opening': ['Opening the files…', '파일을 여는 중…'],
  'files.next': ['{n} more to come', '이어서 {n}개'],

  // The samples and their guided minute
  'sample.title': ['Just looking?', '먼저 둘러볼까요?'],
  'sample.detail': ['Take in the mail of an invented person, and let a guided minute show what for.', '가상 인물의 메일을 넣고 1분 동안 무엇에 쓰는지 볼 수 있습니다.'],
  'sample.en': ['Nora’s mailbox, in English', '노라의 메일함 (영어)'],
  'sample.ko': ['Nara’s mailbox, in Korean', '나라의 메일함 (한국어)'],
  'guide.label': ['Guided minute', '1분 안내'],
  'guide.step': ['{n} of {of}', '{of}단계 중 {n}단계'],
  'guide.next': ['Next', '다음'],
  'guide.back': ['Back', '이전'],
  'guide.end': ['Done', '마치기'],
  'guide.fold': ['Fold', '접기'],
  'guide.goOn': ['Go on with the guided minute, {n} of {of}', '1분 안내 이어 보기, {of}단계 중 {n}단계'],
  'guide.close': ['Close the guide', '안내 닫기'],
  'guide.1': ['Fourteen mails became ten facts', '메일 열네 통이 사실 열 개로'],
  'guide.1.again': ['Three weeks of mail, taken in', '3주 치 메일을 넣었습니다'],
  'guide.1.text': [
    'A potter’s mail of three weeks. What was new was kept, what changed took the place of the old, and the reminder was known already. The figures always add up.',
    '도예가의 3주 치 메일입니다. 새 내용은 남기고, 바뀐 내용은 이전 것을 대신했으며, 다시 알려 온 것은 이미 알고 있었습니다. 숫자는 언제나 맞아떨어집니다.',
  ],
  'guide.2': ['What holds now, and what is due', '지금 내용과 다가오는 일'],
  'guide.2.text': [
    'The workshop is on the 20th: the 13th is struck out, not lost. Open the matter to see who said what, and press “Put this back” if it was wrong.',
    '워크숍은 20일입니다. 13일은 사라지지 않고 줄이 그어져 있습니다. 주제를 열면 누가 무엇을 말했는지 보이고, 잘못되었다면 되돌릴 수 있습니다.',
  ],
  'guide.3': ['Who told me?', '누가 알려 주었나요?'],
  'guide.3.text': [
    'Every fact has its sender and day. Press one, and the mail opens with the words that it rests on marked.',
    '모든 사실에 보낸 사람과 날짜가 있습니다. 누르면 메일이 열리고 근거가 된 말이 표시됩니다.',
  ],
  'guide.4': ['Is this mail real?', '이 메일은 진짜일까요?'],
  'guide.4.text': [
    'Somebody with nearly the shop’s address wants money on another account. Nothing you know was changed by it; it stands apart with a plain warning.',
    '가게와 거의 같은 주소를 쓰는 누군가가 다른 계좌로 돈을 보내라고 합니다. 아는 내용은 바뀌지 않았고, 경고와 함께 따로 두었습니다.',
  ],
  'guide.5': ['You have the last word', '마지막 판단은 나에게'],
  'guide.5.text': [
    'A stranger says the workshop is on the 27th. memfold does not guess: it asks. One press answers, another takes it back.',
    '모르는 사람이 워크숍이 27일이라고 합니다. 짐작하지 않고 묻습니다. 한 번 눌러 답하고, 다시 눌러 되돌립니다.',
  ],
  'guide.6': ['All of it is yours', '모두 내 것입니다'],
  'guide.6.text': [
    'It lives in this browser alone. Take it with you or erase it here, and then try your own mail.',
    '모두 이 브라우저 안에만 있습니다. 가져가거나 지울 수 있습니다. 이제 내 메일로 해 보세요.',
  ],
} as const satisfies Record<string, readonly [string, string]>;
