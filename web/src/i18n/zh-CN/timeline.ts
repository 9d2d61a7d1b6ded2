export const timeline = {
  title: '消息去哪了？',
  hide: '关闭时间线',
  marks: {
    failed: '失败',
    waiting: '等待中',
    delivered: '已送达',
    nobody: '无接收者',
    none: '未知',
  },
  means: {
    failed: '有投递或发送失败。',
    waiting: '尚有步骤未完成。',
    delivered: '已送达所有接收者。',
    nobody: '没有后端、应用或路由需要接收它。',
    none: '相关记录已被清除，或由旧版本存储。',
  },
  markLabel: (mark: string) => `${mark}。消息去哪了？`,
  states: {
    done: '完成',
    delivered: '已送达',
    waiting: '等待中',
    failed: '失败',
    removed: '已清除',
  },
  next: (time: string) => `下次尝试：${time}`,
  retry: '立即重试',
  showRoute: '查看路由',
};
