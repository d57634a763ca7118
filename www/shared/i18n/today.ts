// Messages of Today, the navigation, states and questions, in English and Korean.

export const today = {
  'nav.today': ['Today', '오늘'],
  'nav.memories': ['Everything', '전체'],
  'nav.review': ['Review', '확인'],
  'nav.settings': ['Settings', '설정'],
  'nav.inbox': ['Mail and notes', '메일과 메모'],
  'nav.data': ['Your data', '내 데이터'],
  'nav.log': ['Log', '처리 기록'],
  'nav.links': ['Graph', '연결 그림'],
  'nav.rest': ['Tidying up', '정리'],
  'nav.evaluate': ['Playground', '실험실'],
  'nav.search': ['Search', '검색'],

  // Today
  'today.title': ['Today', '오늘'],
  'today.add': ['Add mail or a note', '메일·메모 추가'],
  'today.empty': ['Your mail, down to what matters', '메일에서 중요한 것만 기억합니다'],
  'today.empty.detail': [
    'Choose a mailbox file, or look around in a sample. Nothing leaves this browser.',
    '메일함 파일을 고르거나 예시 메일함으로 둘러보세요. 메일은 이 브라우저 밖으로 나가지 않습니다.',
  ],
  'today.empty.due': ['What is due.', '다가오는 일.'],
  'today.empty.due.detail': ['Deadlines and appointments, by week.', '마감과 약속을 주별로 보여 줍니다.'],
  'today.empty.changed': ['What changed.', '바뀐 내용.'],
  'today.empty.changed.detail': ['The old value, the new one, and who said so.', '이전 값과 새 값, 누가 알렸는지 함께 보여 줍니다.'],
  'today.empty.ask': ['Answers.', '물어보면 답합니다.'],
  'today.empty.ask.detail': ['Ask in English or Korean; each answer leads to its mail.', '한국어나 영어로 물어보세요. 답마다 근거 메일을 열 수 있습니다.'],
  'today.empty.note': ['Or write a note yourself', '직접 메모 남기기'],

  // Due dates
  'due.title': ['Due and coming up', '다가오는 일'],
  'due.asOf': ['Counted from {day}, the last day of this mail.', '메일의 마지막 날인 {day} 기준입니다.'],
  'due.thisWeek': ['This week', '이번 주'],
  'due.nextWeek': ['Next week', '다음 주'],
  'due.nothing': ['Nothing is due.', '예정된 일이 없습니다.'],
  'due.later': ['Later ({n})', '그 이후 {n}건'],

  // Changes
  'changed.title': ['What changed', '바뀐 내용'],
  'changed.since': ['Since your last visit, {at}', '지난 방문({at}) 이후'],
  'changed.nothing': ['Nothing has changed since your last visit.', '지난 방문 이후 바뀐 내용이 없습니다.'],

  // Questions
  'questions.title': ['For you to confirm', '확인해 주세요'],
  'questions.none': ['No open questions.', '확인할 것이 없습니다.'],
  'questions.more': ['{n} more in Review', '확인에서 {n}건 더 보기'],
  'questions.fraud': ['{n} {n:mail|mails} may be fraud', '사기로 의심되는 메일 {n}통'],
  'review.value.when': ['{topic}: when is it?', '{topic}: 언제인가요?'],
  'review.value.by': ['{topic}: by when?', '{topic}: 언제까지인가요?'],
  'review.value.amount': ['{topic}: how much is it?', '{topic}: 얼마인가요?'],
  'review.value.which': ['{topic}: which is right?', '{topic}: 어느 쪽이 맞나요?'],
  'review.newest': ['newest', '최신'],
  'review.option.both': ['Both are right', '둘 다 맞음'],
  'review.option.apart': ['These are two different things', '서로 다른 일임'],
  'review.choose': ['Choose one to see what happens.', '하나를 고르면 결과를 미리 보여 줍니다.'],
  'review.save': ['Save answer', '답 저장'],
  'review.then.next': ['“{next}” becomes current; “{known}” is kept as outdated.', '“{next}”(이/가) 현재 값이 되고 “{known}”(은/는) 지난 값으로 남습니다.'],
  'review.then.known': ['“{known}” stays current; “{next}” is dropped.', '“{known}”(이/가) 그대로 현재 값이고 “{next}”(은/는) 버립니다.'],
  'review.then.both': ['Both are current, side by side.', '둘 다 현재 값으로 나란히 남습니다.'],
  'review.then.apart': ['Both are current and no longer compared.', '둘 다 현재 값으로 두고 더는 견주지 않습니다.'],

  // States
  'state.current': ['current', '현재'],
  'state.unconfirmed': ['unconfirmed', '확인 전'],
  'state.outdated': ['outdated', '지난 값'],
  'state.unconfirmed.detail': ['A question about this is open in Review.', '이 내용에 대해 확인할 것이 있습니다.'],
  'memory.state': ['State', '상태'],
  'memory.earlier': ['{n} earlier {n:value|values}', '이전 값 {n}개'],
  'memory.why': ['Why is this here?', '왜 남겼나요?'],
  'memories.picture': ['Show as a graph', '연결 그림 보기'],

  // Import
  'run.findings': ['Most useful', '가장 쓸모 있는 내용'],
  'run.nothing': ['{n} {n:mail|mails} taught nothing: look', '{n}통에서는 남긴 것이 없습니다. 보기'],
  'run.nothing.more': ['and {n} more', '외 {n}통'],
  'run.figures': ['In figures', '숫자로 보기'],
  'run.everything': ['See everything', '전체 보기'],
  'agenda.span': ['{from} to {to}', '{from}–{to}'],
  'search.filters': ['Filters', '조건'],
  'search.unsure': ['I don’t know. These come closest.', '딱 맞는 답은 없습니다. 가장 가까운 내용입니다.'],

  // Never remember
  'never.title': ['Never remember', '기억하지 않을 메일'],
  'never.detail': [
    'Mail from these senders and domains, or with these words in its subject, is skipped.',
    '이 사람이나 도메인에서 온 메일, 제목에 이 말이 있는 메일은 건너뜁니다.',
  ],
  'never.none': ['The list is empty.', '목록이 비어 있습니다.'],
  'never.label': ['Sender, domain or topic', '보낸 사람, 도메인 또는 제목의 말'],
  'never.help': ['An address, a domain as @shop.example, or words of a subject.', '메일 주소, @shop.example 같은 도메인, 제목에 든 말을 적으세요.'],
  'never.add': ['Add', '추가'],
  'never.remove': ['Take {name} off the list', '목록에서 {name} 빼기'],
  'never.offer': ['Never remember', '앞으로 기억하지 않기'],
  'never.topic': ['Subject “{topic}”', '제목 “{topic}”'],
  'never.did': ['From now on {name} is never remembered.', '앞으로 {name} 메일은 기억하지 않습니다.'],
  'never.undid': ['Taken off the list.', '목록에서 뺐습니다.'],
  'run.skipped': ['{n} {n:mail|mails} skipped by your Never remember list', '기억하지 않을 메일 {n}통을 건너뛰었습니다'],

  // Settings
  'advanced.title': ['Advanced', '고급'],
  'advanced.inbox': ['Add mail, write a note, see each decision', '메일을 넣거나 메모를 쓰고 판단을 하나씩 보기'],
  'advanced.data': ['Export, import, check or erase', '내보내기, 가져오기, 점검, 지우기'],
  'advanced.log': ['Every decision with its reason and undo', '모든 판단과 이유, 되돌리기'],
  'advanced.links': ['Memories that belong together', '서로 이어진 기억'],
  'advanced.rest': ['Fold what is nearly the same', '거의 같은 기억 접기'],
  'advanced.evaluate': ['Compare two texts and see how it decides', '두 글을 견주어 판단 과정 보기'],
} as const satisfies Record<string, readonly [string, string]>;
