// Messages for matters, due dates, sources and actions, in English and Korean.

export const owner = {
  // By matter
  'memories.title': ['Everything', '전체'],
  'memories.lead': [
    'All current facts, by matter or by person. Open a line for its history and mail.',
    '지금 알고 있는 사실을 주제별, 사람별로 봅니다. 한 줄을 열면 이력과 메일이 보입니다.',
  ],
  'memories.filter': ['About', '찾을 말'],
  'memories.filter.example': ['a project, a person, an order …', '프로젝트, 사람, 주문 …'],
  'memories.way': ['Shown', '보기'],
  'memories.way.matters': ['By matter', '주제별로'],
  'memories.way.people': ['By person', '사람별로'],
  'memories.way.list': ['Flat list', '목록으로'],
  'memories.matters': ['{n} {n:matter|matters}, {memories} {memories:memory|memories}', '주제 {n}개, 기억 {memories}개'],
  'memories.people': ['{n} {n:person|people}', '{n}명'],
  'matter.now': ['Current', '지금 내용'],
  'matter.line': ['History', '오간 이야기'],
  'matter.note': ['A note of yours', '직접 쓴 메모'],
  'matter.suspect': ['May be fraud: look', '사기일 수 있음: 확인'],
  'matter.last': ['last said {day}', '마지막 {day}'],
  'line.putBack': ['Put this back', '이 내용으로 되돌리기'],
  'memory.putBack': ['Put back what it said before', '이전 내용으로 되돌리기'],
  'memory.from': ['Where from', '출처'],
  'memory.deleted.n': ['{n} {n:memory|memories} deleted.', '기억 {n}개를 지웠습니다.'],

  // Due dates
  'due.until': ['due {day}', '{day}까지'],
  'due.on': ['on {day}', '{day}'],
  'changes.title': ['How this mailbox changed', '메일함의 변화'],
  'changes.fresh': ['New', '새 기억'],
  'changes.changed': ['Updated', '갱신'],

  // Sources
  'mail.open': ['Open the mail', '메일 열기'],
  'mail.gmail': ['Open in Gmail', 'Gmail에서 열기'],
  'mail.title': ['Mail', '메일'],
  'mail.text': ['Text of the mail', '메일 본문'],
  'mail.text.help': [
    'Dimmed sentences taught nothing. Select words, or step through sentences with ← and →.',
    '흐린 문장에서는 남긴 것이 없습니다. 글을 선택하거나 ←, →로 문장을 고르세요.',
  ],
  'mail.taught': ['Remembered under {topic}', '기억함: {topic}'],
  'mail.remember': ['Remember this', '이 내용 기억하기'],
  'mail.remembered': ['Remembered as your note.', '내 메모로 기억했습니다.'],
  'mail.remembered.known': ['Known already. Nothing was added.', '이미 아는 내용이라 더하지 않았습니다.'],
  'mail.remembered.asked': ['A question about this is open in Review.', '확인에 질문이 하나 생겼습니다.'],
  'mail.noSubject': ['(no subject)', '(제목 없음)'],
  'mail.reading': ['Looking for the mail…', '메일을 찾는 중…'],
  'mail.gone': ['The text of this mail is not kept on this device.', '이 메일의 본문은 이 기기에 없습니다.'],
  'forget.all': ['Forget everything from {name}', '{name}에게서 온 기억 모두 지우기'],
  'forget.good': ['Erase for good …', '완전히 지우기 …'],
  'forget.sure': [
    'Erase {n} {n:memory|memories} from {name} for good, with the mail texts? This cannot be undone.',
    '{name}에게서 온 기억 {n}개를 메일 본문과 함께 완전히 지울까요? 되돌릴 수 없습니다.',
  ],
  'forget.yes': ['Yes, erase for good', '네, 완전히 지웁니다'],

  // Graph of links
  'links.tools': ['The picture', '그림'],
  'links.closer': ['Closer', '크게'],
  'links.away': ['Farther', '작게'],
  'links.fit': ['Show all', '한눈에'],
  'links.focus': ['Only this memory', '이 기억만'],
  'links.all': ['All memories', '모든 기억'],
  'memory.picture': ['Show in the picture', '그림에서 보기'],

  // The last action
  'toast.label': ['What was just done', '방금 한 일'],
  'undo.import': ['Undo this import', '이 가져오기 되돌리기'],
  'undo.import.sure': ['Undo {n} {n:decision|decisions} of this import?', '이번 가져오기의 판단 {n}건을 모두 되돌릴까요?'],
  'undo.import.yes': ['Yes, undo', '네, 되돌립니다'],
  'undo.import.going': ['Undoing… {n} of {of}', '되돌리는 중… {of}건 중 {n}건'],
  'undo.import.done': ['{n} {n:decision was|decisions were} undone.', '판단 {n}건을 되돌렸습니다.'],
  'undo.import.stay': ['{n} {n:stays|stay}: later decisions depend on {n:it|them}.', '{n}건은 이후 판단의 바탕이어서 그대로 두었습니다.'],
  'again.detail': [
    'These mails were read before, and you undid {n} {n:decision|decisions}. A mail is read only once.',
    '전에 읽은 메일이며 판단 {n}건은 되돌린 상태입니다. 메일은 한 번만 읽습니다.',
  ],
  'again.go': ['Restore them', '되살리기'],
  'again.going': ['Restoring… {n} of {of}', '되살리는 중… {of}건 중 {n}건'],
  'again.done': ['{n} {n:decision is|decisions are} restored.', '판단 {n}건을 되살렸습니다.'],
  'again.stay': ['{n} {n:stays|stay} undone: later decisions depend on that.', '{n}건은 이후 판단의 바탕이어서 되돌린 채로 두었습니다.'],
  'log.takenBack': ['Undone', '되돌림'],

  // Counters: found = kept + merged + repeated + set aside
  'sum.kept': ['Kept', '새로 남김'],
  'sum.merged': ['Updated', '갱신'],
  'sum.skipped': ['Known already', '이미 앎'],
  'sum.aside': ['Set aside', '보류'],
  'sum.words': [
    '{found} found = {kept} kept + {merged} updated + {skipped} known + {aside} set aside',
    '찾음 {found} = 남김 {kept} + 갱신 {merged} + 이미 앎 {skipped} + 보류 {aside}',
  ],
  'sum.aside.detail': ['Review has the ones set aside.', '보류한 내용은 확인에 있습니다.'],

  // Files
  'files.refused': ['{n} {n:file was|files were} not read', '읽지 않은 파일 {n}개'],
  'files.empty': ['The file is empty. Choose another one, or export the mailbox again.', '빈 파일입니다. 다른 파일을 고르거나 메일함을 다시 내보내세요.'],
  'files.not_mail': [
    'This is not a mailbox. Choose an .mbox or .eml file, or a Google Takeout zip.',
    '메일함이 아닙니다. .mbox나 .eml 파일, Google 테이크아웃 zip 파일을 고르세요.',
  ],
  'files.locked': [
    'The archive has a password. Unpack it and choose the .mbox file in it.',
    '암호가 걸린 압축 파일입니다. 압축을 푼 뒤 그 안의 .mbox 파일을 고르세요.',
  ],
  'files.no_mail_in_zip': ['The archive has no mailbox. Choose the zip with the .mbox file.', '압축 파일에 메일함이 없습니다. .mbox 파일이 든 zip을 고르세요.'],
  'files.broken_zip': ['The archive is damaged. Download it again.', '압축 파일이 손상되었습니다. 다시 내려받으세요.'],
  'files.strange_zip': [
    'This kind of archive cannot be opened here. Unpack it and choose the .mbox file.',
    '여기서 열 수 없는 압축 형식입니다. 압축을 푼 뒤 그 안의 .mbox 파일을 고르세요.',
  ],
  'files.too_large': [
    'The archive is too large to open here. Unpack it and choose the .mbox file.',
    '여기서 열기에는 너무 큰 압축 파일입니다. 압축을 푼 뒤 그 안의 .mbox 파일을 고르세요.',
  ],
  'files.mails': ['{n} mails', '메일 {n}통'],
  'files.opening': ['Opening the files…', '파일을 여는 중…'],
  'files.next': ['{n} more to come', '이어서 {n}개'],

  // Samples and the guided tour
  'sample.title': ['Just looking?', '먼저 둘러볼까요?'],
  'sample.detail': ['Load the mail of an invented person and take a guided minute.', '가상 인물의 메일을 넣고 1분 안내를 따라가 보세요.'],
  'sample.en': ['Nora’s mailbox, in English', '노라의 메일함 (영어)'],
  'sample.ko': ['Nara’s mailbox, in Korean', '나라의 메일함 (한국어)'],
  'guide.label': ['Guided minute', '1분 안내'],
  'guide.step': ['{n} of {of}', '{of}단계 중 {n}단계'],
  'guide.next': ['Next', '다음'],
  'guide.back': ['Back', '이전'],
  'guide.end': ['Done', '마치기'],
  'guide.fold': ['Fold', '접기'],
  'guide.goOn': ['Continue the guided minute, {n} of {of}', '1분 안내 이어 보기, {of}단계 중 {n}단계'],
  'guide.close': ['Close the guide', '안내 닫기'],
  'guide.1': ['Fourteen mails became ten facts', '메일 열네 통이 사실 열 개로'],
  'guide.1.again': ['Three weeks of mail are in', '3주 치 메일을 넣었습니다'],
  'guide.1.text': [
    'Three weeks of a potter’s mail. New facts were kept, changed ones updated, and a reminder was known already.',
    '도예가의 3주 치 메일입니다. 새 사실은 남기고 바뀐 사실은 갱신했으며, 다시 알린 내용은 이미 알고 있었습니다.',
  ],
  'guide.2': ['What is current, and what is due', '지금 내용과 다가오는 일'],
  'guide.2.text': [
    'The workshop is on the 20th; the 13th is struck out. Open the matter to see who said what.',
    '워크숍은 20일이고 13일에는 줄이 그어져 있습니다. 주제를 열면 누가 무엇을 말했는지 보입니다.',
  ],
  'guide.3': ['Who told me?', '누가 알려 주었나요?'],
  'guide.3.text': [
    'Every fact has its sender and day. Press one to open the mail, with its words marked.',
    '모든 사실에 보낸 사람과 날짜가 있습니다. 누르면 메일이 열리고 근거가 표시됩니다.',
  ],
  'guide.4': ['Is this mail real?', '이 메일은 진짜일까요?'],
  'guide.4.text': [
    'A look-alike of the shop’s address asks for money on another account. It changed nothing and has a warning.',
    '가게와 비슷한 주소에서 다른 계좌로 돈을 보내라고 합니다. 바뀐 기억은 없고 경고를 붙였습니다.',
  ],
  'guide.5': ['You have the last word', '마지막 판단은 나에게'],
  'guide.5.text': [
    'A stranger says the workshop is on the 27th, so memfold asks you. One press answers, another undoes it.',
    '모르는 사람이 워크숍이 27일이라고 해서 묻습니다. 한 번 눌러 답하고, 다시 눌러 되돌립니다.',
  ],
  'guide.6': ['All of it is yours', '모두 내 것입니다'],
  'guide.6.text': [
    'It is stored in this browser only. Export or erase it here, then try your own mail.',
    '이 브라우저에만 저장됩니다. 여기서 내보내거나 지울 수 있습니다. 이제 내 메일로 해 보세요.',
  ],
} as const satisfies Record<string, readonly [string, string]>;
